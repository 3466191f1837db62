// Where the parts of an exercise stand. In a text they stand below the task: code and verdict beside each other where
// there is room. The page of one exercise is a place to work instead; see panes.ts.

import { el } from "../dom.ts";

/** The parts of an exercise. */
export interface Parts {
  /** The names of the files. */
  files: HTMLElement;
  id: string;
  /** Says that the exercise has passed. */
  done: HTMLElement;
  /** Says whose text is in the editor, if it is not the reader's own. */
  notice?: HTMLElement | null;
  /** The room that the reader is in, and notes about the text. */
  room: HTMLElement;
  notes: HTMLElement;
  code: HTMLElement;
  /** Explains the editor's keys. */
  help: HTMLElement;
  check: HTMLElement;
  cancel: HTMLElement;
  format: HTMLElement;
  reset: HTMLElement;
  /** Asks whether Reset is meant. It lies over its surroundings. */
  question: HTMLElement;
  /** What became of the last action. */
  status: HTMLElement;
  /** How far the check is, or its result, in a few words. */
  summary: HTMLElement;
  /** Opens one more hint. */
  hint: HTMLElement;
  hints: HTMLElement;
  /** Share and download the work. */
  keep: HTMLElement;
  /** Who checks: the server or the page. */
  where: HTMLElement;
  problem: HTMLElement;
  verdict: HTMLElement;
  solution: HTMLElement;
}

export type PaneName = "task" | "code" | "verdict";

export interface Layout {
  /** Brings a pane into view. An element in it is scrolled into view too. */
  show(pane: PaneName, element?: Element | null): void;
  /** Whether the keys that check work on the whole page. */
  readonly wholePage: boolean;
}

/** Places the parts into an element. */
export type LayOut = (root: HTMLElement, parts: Parts) => Layout;

/**
 * Places the parts below the task, which stands in a text. The bar with Check stays in view as long as a part of the
 * exercise is.
 */
export const layOutInText: LayOut = (root, p) => {
  const words = el("div", { class: "ots-check-words" }, p.status, p.summary);
  const bar = el("div", { class: "ots-tools is-steady" }, p.check, words, p.cancel, p.hint);
  const state = el("p", { class: "ots-head-end" }, el("span", { class: "ots-id" }, p.id), p.done);
  root.append(
    el("header", { class: "ots-head" }, p.files, state, el("div", {}, p.format, p.reset), p.question),
    p.room,
    p.notes,
    el(
      "div",
      { class: "ots-columns" },
      el("div", { class: "ots-work" }, p.code, bar, p.help, p.hints, p.keep),
      el("div", { class: "ots-beside" }, p.problem, p.verdict, p.where),
    ),
    p.solution,
  );
  return { show: (_, element) => element?.scrollIntoView({ block: "nearest" }), wholePage: false };
};
