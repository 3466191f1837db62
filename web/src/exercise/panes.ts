// The page of an exercise as a place to work: its task, its code and its verdict are panes, and Check is in their bar.

import { el } from "../dom.ts";
import { Panes } from "../shell/panes.ts";
import type { Store } from "../store.ts";
import type { Layout, Parts } from "./layout.ts";

/**
 * Places the parts. page has the title, the task and what the site says about it, which move to where they belong. The
 * room is above the panes, so that it is in view whichever of them are shown.
 */
export function layOutOnPage(root: HTMLElement, parts: Parts, page: Element, store: Store): Layout {
  page.querySelector(".head h1")?.after(parts.done);
  page.querySelector(".head")?.after(parts.room);
  const [task, code, verdict] = panesOf(parts, page.querySelector(".ots-task"), page.querySelector(".listings"));
  const panes = new Panes(root, {
    id: parts.id,
    panes: [
      { name: "task", label: "Task", root: task },
      { name: "code", label: "Code", root: code },
      { name: "verdict", label: "Verdict", root: verdict },
    ],
    bar: barOf(parts),
    store,
  });
  return { show: (pane, element) => panes.show(pane, element), wholePage: true };
}

function panesOf(p: Parts, task: HTMLElement | null, more: HTMLElement | null): [HTMLElement, HTMLElement, HTMLElement] {
  const head = el("div", { class: "ots-code-head" }, p.files, p.format, p.reset, p.question);
  // These scroll, so the keyboard has to be able to scroll them.
  const scrolls = { tabindex: 0 };
  return [
    el("section", { class: "ots-pane is-task", ...scrolls }, task, p.hints, p.keep, more),
    el("section", { class: "ots-pane is-code" }, head, p.notice, p.notes, p.code, p.help),
    el("section", { class: "ots-pane is-verdict", ...scrolls }, p.problem, p.verdict, p.where, p.solution),
  ];
}

/** Returns the bar with Check, how far it is, and the hints. */
function barOf(p: Parts): HTMLElement {
  const words = el("div", { class: "ots-check-words" }, p.status, p.summary);
  return el("div", { class: "ots-check-bar", role: "group", "aria-label": "Check" }, p.check, words, p.cancel, p.hint);
}
