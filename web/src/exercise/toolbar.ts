// The row of buttons below the code.

import { button, el } from "../dom.ts";

export interface Actions {
  check: () => void;
  cancel: () => void;
  format: () => void;
  reset: () => void;
  undo: () => void;
}

export class Toolbar {
  readonly root = el("div", { class: "ots-tools" });
  readonly #check: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #format: HTMLButtonElement;
  readonly #reset: HTMLButtonElement;
  readonly #confirm: HTMLElement;
  readonly #undone: HTMLElement;
  readonly #status = el("span", { class: "ots-status" });

  /** The elements in more follow the toolbar's own buttons. */
  constructor(actions: Actions, ...more: HTMLElement[]) {
    this.#check = button("ots-button is-main", () => {
      if (!this.#isBusy()) actions.check();
    }, "Check");
    this.#cancel = button("ots-button", () => {
      actions.cancel();
      this.#check.focus();
    }, "Cancel");
    this.#format = button("ots-button", () => {
      if (!this.#isBusy()) actions.format();
    }, "Format");
    this.#reset = button("ots-button", () => this.#ask(), "Reset");

    const yes = button("ots-button", () => {
      actions.reset();
      this.#answered();
      this.#undone.hidden = false;
      this.#undone.querySelector("button")?.focus();
    }, "Put it back");
    const no = button("ots-button", () => {
      this.#answered();
      this.#reset.focus();
    }, "Keep mine");
    this.#confirm = el(
      "span",
      { class: "ots-ask", role: "group", "aria-label": "Reset", hidden: true },
      el("span", {}, "Put the starter back?"),
      yes,
      no,
    );
    this.#confirm.addEventListener("keydown", (e) => {
      if (e.key === "Escape") no.click();
    });
    const undo = button("ots-button", () => {
      actions.undo();
      this.#undone.hidden = true;
      this.#reset.focus();
    }, "Undo");
    this.#undone = el("span", { class: "ots-ask", hidden: true }, el("span", {}, "The starter is back."), undo);
    this.#cancel.hidden = true;
    const own = [this.#check, this.#cancel, this.#format, this.#reset];
    this.root.append(...own, ...more, this.#confirm, this.#undone, this.#status);
  }

  /** Shows that a job is under way: the first button names it, and Cancel appears. */
  busy(what: string): void {
    this.#check.textContent = what;
    for (const b of [this.#check, this.#format]) b.setAttribute("aria-disabled", "true");
    this.#cancel.hidden = false;
    this.status("");
  }

  idle(): void {
    this.#check.textContent = "Check";
    for (const b of [this.#check, this.#format]) b.removeAttribute("aria-disabled");
    if (document.activeElement === this.#cancel) this.#check.focus();
    this.#cancel.hidden = true;
    this.status("");
  }

  /** Moves the focus here, because the element that had it was removed. */
  focus(): void {
    this.#check.focus();
  }

  status(words: string): void {
    this.#status.textContent = words;
  }

  /** Removes the words about the last action, because the reader has edited the text since. */
  edited(): void {
    if (!this.#isBusy()) this.status("");
    this.#undone.hidden = true;
  }

  #isBusy(): boolean {
    return this.#check.hasAttribute("aria-disabled");
  }

  #ask(): void {
    this.#reset.hidden = true;
    this.#undone.hidden = true;
    this.#confirm.hidden = false;
    this.#confirm.querySelector("button")?.focus();
  }

  #answered(): void {
    this.#confirm.hidden = true;
    this.#reset.hidden = false;
  }
}
