// The hints of an exercise, which the reader asks for one at a time, and the solution after the last of them.

import { button, el, inlineCode } from "../dom.ts";

export interface HintsOptions {
  hints: readonly string[];
  /** How many are shown at first. */
  shown: number;
  /** Called with the number of hints that are shown and the text of the newest. */
  onMore: (shown: number, text: string) => void;
  /** What the button does after the last hint; null if the exercise has no solution to show. */
  solution: HintsSolution | null;
}

export interface HintsSolution {
  /** Reports whether a later pass would be marked, so that the reader is asked first. */
  costs: () => boolean;
  /** Brings the question into view before it takes the focus. */
  ask: (question: HTMLElement) => void;
  show: () => void;
}

const COST = "A pass is then marked as one after the solution.";

export class Hints {
  /** The button that shows one more, and the solution after the last. */
  readonly more: HTMLButtonElement;
  /** The hints, and the question whether to show the solution. */
  readonly root: HTMLElement;
  readonly #list = el("ol", { class: "ots-hints", "aria-label": "Hints" });
  readonly #ask: HTMLElement;
  readonly #no: HTMLButtonElement;
  readonly #hints: readonly string[];
  readonly #solution: HintsSolution | null;
  #shown = 0;

  constructor({ hints, shown, onMore, solution }: HintsOptions) {
    this.#hints = hints;
    this.#solution = solution;
    this.more = button("ots-button", () => {
      const text = hints[this.#shown];
      if (text === undefined) return this.#askForSolution();
      this.show(this.#shown + 1);
      onMore(this.#shown, `Hint ${this.#shown}: ${text}`);
    });
    this.more.hidden = hints.length === 0;
    const no = (this.#no = button("ots-button", () => this.#answered(), "Keep trying"));
    const yes = button("ots-button", () => {
      this.#answered();
      solution?.show();
    }, "Show it");
    this.#ask = el(
      "div",
      { class: "ots-ask", role: "group", "aria-label": "Show the solution", hidden: true },
      el("span", {}, `Show the solution? ${COST}`),
      yes,
      no,
    );
    this.#ask.addEventListener("keydown", (e) => {
      if (e.key === "Escape") no.click();
    });
    this.root = el("div", {}, this.#list, this.#ask);
    this.show(shown);
  }

  /** The newest hint that is shown. */
  get newest(): Element | null {
    return this.#list.lastElementChild;
  }

  /** Shows the first n hints. */
  show(n: number): void {
    const all = this.#hints.length;
    this.#shown = Math.min(n, all);
    const shown = this.#hints.slice(0, this.#shown);
    this.#list.replaceChildren(...shown.map((h) => el("li", {}, el("span", {}, ...inlineCode(h)))));
    this.#list.hidden = this.#shown === 0;
    const left = this.#shown < all;
    const last = this.#solution ? "Show the solution" : "All hints shown";
    this.more.textContent = left ? `Hint ${this.#shown + 1} of ${all}` : last;
    // A disabled button would lose the focus of the reader who has just pressed it.
    this.more.setAttribute("aria-disabled", String(!left && !this.#solution));
  }

  #askForSolution(): void {
    if (!this.#solution) return;
    if (!this.#solution.costs()) return this.#solution.show();
    this.#ask.hidden = false;
    this.#solution.ask(this.#ask);
    this.#no.focus();
  }

  #answered(): void {
    this.#ask.hidden = true;
    this.more.focus();
  }
}
