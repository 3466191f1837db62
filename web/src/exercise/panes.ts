// The page of an exercise as a place to work: task, code and verdict beside each other; two of them on a laptop, with
// the task and the verdict as tabs; one on a phone, where the page scrolls and not the pane. The bar with Check is in
// view at all times. The widths at which this changes are those of site/assets/css/workbench-window.css.

import { el } from "../dom.ts";
import type { Store } from "../store.ts";
import { Divider } from "./divider.ts";
import type { Layout, PaneName, Parts } from "./layout.ts";
import { Tabs } from "./tabs.ts";
import { FIRST_WIDTHS, loadWidths, rangeOf, saveWidths, type Widths } from "./widths.ts";

/** The panes fill the window. Otherwise one is shown, and the page scrolls. */
const FILLS = "(width >= 900px) and (height >= 420px)";
const ALL_THREE = "(width >= 1200px) and (height >= 420px)";

const NAMES: Record<PaneName, string> = { task: "Task", code: "Code", verdict: "Verdict" };
const ORDER = Object.keys(NAMES) as PaneName[];

export class Panes implements Layout {
  readonly wholePage = true;
  readonly #root: HTMLElement;
  readonly #store: Store;
  readonly #panes: Record<PaneName, HTMLElement>;
  readonly #tabs: Tabs<PaneName>;
  readonly #left: Divider;
  readonly #right: Divider;
  readonly #fills = matchMedia(FILLS);
  readonly #allThree = matchMedia(ALL_THREE);
  #widths: Widths;
  /** The pane that is shown where there is room for one, and the one beside the code where there is room for two. */
  #front: PaneName = "task";
  #side: PaneName = "task";
  /** How far the page was scrolled when a pane was left. */
  readonly #scrolled = new Map<PaneName, number>();

  /** page has the title, the task and what the site says about the exercise, which move to where they belong. */
  constructor(root: HTMLElement, parts: Parts, page: Element, store: Store) {
    this.#root = root;
    this.#store = store;
    this.#widths = loadWidths(store);
    page.querySelector(".head h1")?.after(parts.done);
    this.#panes = panesOf(parts, page.querySelector(".ots-task"), page.querySelector(".listings"));
    const id = (pane: PaneName) => (this.#panes[pane].id = `${parts.id}-${pane}`);
    this.#tabs = new Tabs(ORDER.map((pane) => ({ name: pane, label: NAMES[pane], controls: id(pane) })), (pane) =>
      this.show(pane),
    );
    this.#left = this.#divider("Width of the task", "task", (position) => position);
    this.#right = this.#divider("Width of the verdict", "verdict", (position) => 100 - position);
    root.classList.add("ots-panes");
    // In the order in which one works: the keys lead from the code to Check, and on to the verdict.
    root.append(
      this.#tabs.root,
      this.#panes.task,
      this.#left.root,
      this.#panes.code,
      barOf(parts),
      this.#right.root,
      this.#panes.verdict,
    );
    for (const query of [this.#fills, this.#allThree]) query.addEventListener("change", () => this.#arrange());
    this.#arrange();
  }

  show(pane: PaneName, element: Element | null = null): void {
    const before = this.#front;
    const focused = ORDER.find((name) => this.#panes[name].contains(document.activeElement));
    if (!this.#fills.matches) this.#scrolled.set(before, scrollY);
    this.#front = pane;
    if (pane !== "code") this.#side = pane;
    this.#arrange();
    if (!this.#fills.matches && pane !== before) {
      const top = this.#root.getBoundingClientRect().top + scrollY;
      scrollTo({ top: this.#scrolled.get(pane) ?? Math.min(scrollY, top), behavior: "instant" });
    }
    if (focused && this.#panes[focused].hidden) this.#tabs.focus();
    element?.scrollIntoView({ block: "nearest" });
  }

  /** Shows the panes for which there is room. */
  #arrange(): void {
    const three = this.#allThree.matches;
    const two = !three && this.#fills.matches;
    for (const pane of ORDER) {
      const section = this.#panes[pane];
      section.hidden = !three && pane !== (two && pane !== "code" ? this.#side : two ? "code" : this.#front);
      const isTab = !three && !(two && pane === "code");
      section.setAttribute("role", isTab ? "tabpanel" : "region");
      section.setAttribute("aria-label", NAMES[pane]);
    }
    this.#tabs.root.hidden = three;
    this.#tabs.offer(two ? ["task", "verdict"] : ORDER);
    this.#tabs.select(two ? this.#side : this.#front);
    this.#left.root.hidden = !three;
    this.#right.root.hidden = !three && !two;
    this.#place();
  }

  #divider(label: string, pane: "task" | "verdict", convert: (position: number) => number): Divider {
    const which = () => (this.#allThree.matches ? pane : "side");
    return new Divider({
      label,
      controls: this.#panes[pane].id,
      range: () => {
        const [one, other] = rangeOf(which(), this.#widths).map(convert) as [number, number];
        return [Math.min(one, other), Math.max(one, other)];
      },
      move: (position) => {
        this.#widths[which()] = convert(position);
        this.#place();
      },
      moved: () => saveWidths(this.#store, this.#widths),
      restore: () => {
        const [least, most] = rangeOf(which(), this.#widths);
        this.#widths[which()] = Math.min(Math.max(FIRST_WIDTHS[which()], least), most);
        this.#place();
      },
    });
  }

  /** Gives the panes their widths. */
  #place(): void {
    const { task, verdict, side } = this.#widths;
    for (const [name, value] of Object.entries({ task, verdict, side }))
      this.#root.style.setProperty(`--ots-${name}-width`, `${value}%`);
    this.#left.at(task);
    this.#right.at(100 - (this.#allThree.matches ? verdict : side));
  }
}

function panesOf(p: Parts, task: HTMLElement | null, more: HTMLElement | null): Record<PaneName, HTMLElement> {
  const head = el("div", { class: "ots-code-head" }, p.files, p.format, p.reset, p.question);
  // These scroll, so the keyboard has to be able to scroll them.
  const scrolls = { tabindex: 0 };
  return {
    task: el("section", { class: "ots-pane is-task", ...scrolls }, task, p.hints, p.keep, more),
    code: el("section", { class: "ots-pane is-code" }, head, p.notice, p.room, p.notes, p.code, p.help),
    verdict: el("section", { class: "ots-pane is-verdict", ...scrolls }, p.problem, p.verdict, p.where, p.solution),
  };
}

/** Returns the bar with Check, how far it is, and the hints. */
function barOf(p: Parts): HTMLElement {
  const words = el("div", { class: "ots-check-words" }, p.status, p.summary);
  return el("div", { class: "ots-check-bar", role: "group", "aria-label": "Check" }, p.check, p.cancel, words, p.hint);
}
