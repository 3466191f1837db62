// A place to work: panes beside each other as far as there is room, and a bar that is in view at all times. Where all
// panes have room, all are shown; on a laptop the code and one other, which tabs choose; on a phone one, where the page
// scrolls and not the pane. It changes at the same widths as site/assets/css/workbench-window.css.

import type { Store } from "../store.ts";
import { Divider } from "./divider.ts";
import { Tabs } from "./tabs.ts";
import { FIRST_WIDTHS, loadWidths, rangeOf, saveWidths, type Widths } from "./widths.ts";

/** The panes fill the window. Otherwise one is shown, and the page scrolls. */
const FILLS = "(width >= 900px) and (height >= 420px)";
const ALL_THREE = "(width >= 1200px) and (height >= 420px)";

/** The pane that is shown wherever there is room for two. */
const CODE = "code";

export interface Pane<Name extends string> {
  name: Name;
  /** The name that the reader sees: "Task". */
  label: string;
  root: HTMLElement;
}

export interface PanesParts<Name extends string> {
  /** The IDs of the panes begin with it. */
  id: string;
  /** In the order of the tabs: the code and one other, or a task, the code and a verdict. The first is shown first. */
  panes: readonly Pane<Name>[];
  bar: HTMLElement;
  store: Store;
}

export class Panes<Name extends string> {
  readonly #root: HTMLElement;
  readonly #store: Store;
  readonly #panes: readonly Pane<Name>[];
  readonly #tabs: Tabs<Name>;
  /** Between the task and the code, if there is a task. */
  readonly #left: Divider | null;
  readonly #right: Divider;
  readonly #fills = matchMedia(FILLS);
  readonly #all: MediaQueryList;
  #widths: Widths;
  /** The pane that is shown where there is room for one, and the one beside the code where there is room for two. */
  #front: Name;
  #side: Name;
  /** How far the page was scrolled when a pane was left. */
  readonly #scrolled = new Map<Name, number>();

  constructor(root: HTMLElement, { id, panes, bar, store }: PanesParts<Name>) {
    this.#root = root;
    this.#store = store;
    this.#panes = panes;
    this.#widths = loadWidths(store);
    const three = panes.length > 2;
    this.#all = matchMedia(three ? ALL_THREE : FILLS);
    const [first, second, last] = [panes[0]!, panes[1]!, panes.at(-1)!];
    this.#front = first.name;
    this.#side = first.name === CODE ? second.name : first.name;
    for (const pane of panes) pane.root.id = `${id}-${pane.name}`;
    this.#tabs = new Tabs(panes.map((p) => ({ ...p, controls: p.root.id })), (name) => this.show(name));
    this.#left = three ? this.#divider(first, "task", (position) => position) : null;
    this.#right = this.#divider(last, three ? "verdict" : "side", (position) => 100 - position);
    root.classList.add("ots-panes");
    // In the order in which one works: the keys lead from the code to the bar, and on to what comes of it.
    root.append(this.#tabs.root, ...panes.slice(0, -1).map((p) => p.root), bar, this.#right.root, last.root);
    if (this.#left) first.root.after(this.#left.root);
    for (const query of [this.#fills, this.#all]) query.addEventListener("change", () => this.#arrange());
    this.#arrange();
  }

  /** Brings a pane into view. An element in it is scrolled into view too. */
  show(name: Name, element: Element | null = null): void {
    const before = this.#front;
    const focused = this.#panes.find(({ root }) => root.contains(document.activeElement));
    if (!this.#fills.matches) this.#scrolled.set(before, scrollY);
    this.#front = name;
    if (name !== CODE) this.#side = name;
    this.#arrange();
    if (!this.#fills.matches && name !== before) {
      const top = this.#root.getBoundingClientRect().top + scrollY;
      scrollTo({ top: this.#scrolled.get(name) ?? Math.min(scrollY, top), behavior: "instant" });
    }
    if (focused?.root.hidden) this.#tabs.focus();
    element?.scrollIntoView({ block: "nearest" });
  }

  /** Shows the panes for which there is room. */
  #arrange(): void {
    const all = this.#all.matches;
    const two = !all && this.#fills.matches;
    for (const { name, label, root } of this.#panes) {
      root.hidden = !all && !(two ? name === CODE || name === this.#side : name === this.#front);
      root.setAttribute("role", all || (two && name === CODE) ? "region" : "tabpanel");
      root.setAttribute("aria-label", label);
    }
    this.#tabs.root.hidden = all;
    this.#tabs.offer(this.#panes.map(({ name }) => name).filter((name) => !two || name !== CODE));
    this.#tabs.select(two ? this.#side : this.#front);
    if (this.#left) this.#left.root.hidden = !all;
    this.#right.root.hidden = !all && !two;
    this.#place();
  }

  /** Makes the divider of a pane, whose width is kept by that name, or as "side" where only two are shown. */
  #divider({ label, root }: Pane<Name>, width: keyof Widths, convert: (position: number) => number): Divider {
    const which = () => (this.#all.matches ? width : "side");
    return new Divider({
      label: `Width of the ${label.toLowerCase()}`,
      controls: root.id,
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
        const [min, max] = rangeOf(which(), this.#widths);
        this.#widths[which()] = Math.min(Math.max(FIRST_WIDTHS[which()], min), max);
        this.#place();
      },
    });
  }

  /** Gives the panes their widths. */
  #place(): void {
    const { task, verdict, side } = this.#widths;
    for (const [name, value] of Object.entries({ task, verdict, side }))
      this.#root.style.setProperty(`--ots-${name}-width`, `${value}%`);
    this.#left?.at(task);
    this.#right.at(100 - (this.#left && this.#all.matches ? verdict : side));
  }
}
