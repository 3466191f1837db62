// The hints of an exercise, which the reader asks for one at a time.

import { button, el, inlineCode } from "../dom.ts";

export class Hints {
  /** The button that shows one more. */
  readonly more: HTMLButtonElement;
  readonly list = el("ol", { class: "ots-hints", "aria-label": "Hints" });
  readonly #hints: readonly string[];
  #shown = 0;

  /** onMore is called with the number of hints that are shown and the text of the newest. */
  constructor(hints: readonly string[], shown: number, onMore: (shown: number, text: string) => void) {
    this.#hints = hints;
    this.more = button("ots-button", () => {
      const text = hints[this.#shown];
      if (text === undefined) return;
      this.show(this.#shown + 1);
      onMore(this.#shown, `Hint ${this.#shown}: ${text}`);
    });
    this.more.hidden = hints.length === 0;
    this.show(shown);
  }

  /** Shows the first n hints. */
  show(n: number): void {
    const all = this.#hints.length;
    this.#shown = Math.min(n, all);
    const shown = this.#hints.slice(0, this.#shown);
    this.list.replaceChildren(...shown.map((h) => el("li", {}, el("span", {}, ...inlineCode(h)))));
    this.list.hidden = this.#shown === 0;
    const left = this.#shown < all;
    this.more.textContent = left ? `Hint ${this.#shown + 1} of ${all}` : "All hints shown";
    // A disabled button would lose the focus of the reader who has just pressed it.
    this.more.setAttribute("aria-disabled", String(!left));
  }
}
