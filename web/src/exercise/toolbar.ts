// The buttons of an exercise. They keep their places: none moves while a check runs or after Reset.

import { button, el } from "../dom.ts";

export interface Actions {
  check: () => void;
  cancel: () => void;
  format: () => void;
  reset: () => void;
  undo: () => void;
}

/** The longer ones of the labels that Check and Reset have: a button is always as wide as its longer one. */
const CHECKING = "Checking…";
const RESET = "Reset";

export class Toolbar {
  readonly check: HTMLButtonElement;
  /** Keeps its place while nothing is under way, in which it is not visible. */
  readonly cancel: HTMLButtonElement;
  readonly format: HTMLButtonElement;
  /** After a reset it undoes the reset, until the next edit. */
  readonly reset: HTMLButtonElement;
  /** Asks whether the starter is to replace the text. It lies over what is below it. */
  readonly question: HTMLElement;
  readonly words = el("span", { class: "ots-status" });
  #undoes = false;

  constructor(actions: Actions) {
    this.check = button("ots-button is-main", () => {
      if (!this.#isBusy()) actions.check();
    }, "Check");
    this.check.dataset["longest"] = CHECKING;
    this.cancel = button("ots-button is-keeping", () => {
      actions.cancel();
      this.check.focus();
    }, "Cancel");
    this.cancel.hidden = true;
    this.format = button("ots-button is-quiet", () => {
      if (!this.#isBusy()) actions.format();
    }, "Format");
    this.reset = button("ots-button is-quiet", () => {
      if (!this.question.hidden) return;
      if (!this.#undoes) return this.#ask(true);
      actions.undo();
      this.#offerUndo(false);
    }, RESET);
    this.reset.dataset["longest"] = RESET;

    const yes = button("ots-button", () => {
      actions.reset();
      this.#ask(false);
      this.#offerUndo(true);
    }, "Put it back");
    const no = button("ots-button", () => this.#ask(false), "Keep mine");
    this.question = el(
      "div",
      { class: "ots-reset", role: "group", "aria-label": "Reset", hidden: true },
      el("span", {}, "Put the starter back?"),
      yes,
      no,
    );
    this.question.addEventListener("keydown", (e) => {
      if (e.key === "Escape") no.click();
    });
  }

  /** Shows that a check is under way, or another job, which the words name. */
  busy(what: "Check" | "Format", words: string): void {
    if (what === "Check") this.check.textContent = CHECKING;
    for (const b of [this.check, this.format]) b.setAttribute("aria-disabled", "true");
    this.cancel.hidden = false;
    this.status(what === "Check" ? "" : words);
  }

  idle(): void {
    this.check.textContent = "Check";
    for (const b of [this.check, this.format]) b.removeAttribute("aria-disabled");
    if (document.activeElement === this.cancel) this.check.focus();
    this.cancel.hidden = true;
    this.status("");
  }

  /** Moves the focus here, because the element that had it was removed. */
  focus(): void {
    this.check.focus();
  }

  status(words: string): void {
    this.words.textContent = words;
  }

  /** Removes the words about the last action, because the reader has edited the text since. */
  edited(): void {
    if (!this.#isBusy()) this.status("");
    this.#offerUndo(false);
  }

  #isBusy(): boolean {
    return this.check.hasAttribute("aria-disabled");
  }

  #ask(open: boolean): void {
    this.question.hidden = !open;
    // A disabled button keeps its place, and a second click on it does nothing.
    this.reset.setAttribute("aria-disabled", String(open));
    if (open) this.question.querySelector("button")?.focus();
    else this.reset.focus();
  }

  #offerUndo(offer: boolean): void {
    this.#undoes = offer;
    this.reset.textContent = offer ? "Undo" : RESET;
  }
}
