// Notes above an exercise, about the reader's text.

import { button, el } from "../dom.ts";

export class Notes {
  readonly root = el("div", { class: "ots-notes" });
  readonly #say: (words: string) => void;

  /** say announces words to screen readers. */
  constructor(say: (words: string) => void) {
    this.#say = say;
  }

  /** Tells the reader how many other edits there are, among which the reader can choose. */
  showOtherEdits(count: number, show: () => void, forget: () => void): void {
    this.removeOtherEdits();
    const words =
      count === 1
        ? "A different edit of this exercise was saved elsewhere. Both are kept; this tab shows its own."
        : `${count} different edits of this exercise were saved elsewhere. All are kept; this tab shows its own.`;
    const which = count === 1 ? "the other edit" : "the next edit";
    const swap = button("ots-button", show, `Show ${which}`);
    const drop = button("ots-button", forget, `Forget ${which}`);
    this.root.append(el("div", { class: "ots-note is-aside" }, el("p", {}, words), el("p", {}, swap, " ", drop)));
    this.#say(words);
  }

  /** Removes the note about other edits. */
  removeOtherEdits(): void {
    this.root.querySelector(".is-aside")?.remove();
  }

  showNewStarter(): void {
    const words = "The starter has changed since you began. Your text is kept; Reset takes the new starter.";
    this.root.append(el("p", { class: "ots-note is-starter" }, words));
  }

  /** Removes the note about a new starter. */
  removeNewStarter(): void {
    this.root.querySelector(".is-starter")?.remove();
  }

  noStorage(): void {
    if (this.root.querySelector(".is-storage")) return;
    const words = "This browser's storage is blocked or full: your edits last until you leave the page.";
    this.root.append(el("p", { class: "ots-note is-storage" }, words));
  }
}
