// Notes above an exercise, about the reader's text.

import { button, el } from "../dom.ts";

const TWO_EDITS = "Another tab saved a different edit of this exercise. Both are kept; this tab shows its own.";

export class Notes {
  readonly root = el("div", { class: "ots-notes" });
  readonly #say: (words: string) => void;

  /** say announces words to screen readers. */
  constructor(say: (words: string) => void) {
    this.#say = say;
  }

  /** Tells the reader that there are two edits, between which the reader can choose. */
  twoEdits(show: () => void, forget: () => void): void {
    this.oneEdit();
    const swap = button("ots-button", show, "Show the other edit");
    const drop = button("ots-button", forget, "Forget the other edit");
    this.root.append(el("div", { class: "ots-note is-aside" }, el("p", {}, TWO_EDITS), el("p", {}, swap, " ", drop)));
    this.#say(TWO_EDITS);
  }

  /** Removes the note about two edits. */
  oneEdit(): void {
    this.root.querySelector(".is-aside")?.remove();
  }

  newStarter(): void {
    const words = "The starter has changed since you began. Your text is kept; Reset takes the new starter.";
    this.root.append(el("p", { class: "ots-note is-starter" }, words));
  }

  /** Removes the note about a new starter. */
  sameStarter(): void {
    this.root.querySelector(".is-starter")?.remove();
  }

  noStorage(): void {
    if (this.root.querySelector(".is-storage")) return;
    const words = "This browser's storage is blocked or full: your edits last until you leave the page.";
    this.root.append(el("p", { class: "ots-note is-storage" }, words));
  }
}
