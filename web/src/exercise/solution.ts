// The solution of an exercise, which the page fetches after the pass, or when the reader asks for it.

import { button, el } from "../dom.ts";
import type { Files } from "../files.ts";
import type { SolutionData } from "../go/exercise.ts";
import { fetchFiles } from "./data.ts";

/** Fetches the solution when it may be shown, and shows it. */
export class Solution {
  readonly root = el("section", { class: "ots-solution", "aria-label": "The solution", hidden: true });
  readonly #exercise: string;
  readonly #href: string;
  readonly #mine: () => Files;
  #data: Promise<SolutionData> | null = null;

  /** mine returns the reader's code at the moment when the solution is shown. */
  constructor(exercise: string, href: string, mine: () => Files) {
    this.#exercise = exercise;
    this.#href = href;
    this.#mine = mine;
  }

  get isShown(): boolean {
    return !this.root.hidden;
  }

  /** Fetches and shows the solution, beside the reader's code. */
  async show(): Promise<void> {
    if (this.#href === "") return;
    this.root.hidden = false;
    this.#data ??= fetchFiles(this.#href).then((data) => {
      if (!data) throw new Error(`${this.#href} holds no solution`);
      return data;
    });
    try {
      const [{ solutionView }, data] = await Promise.all([import("./solution-view.ts"), this.#data]);
      this.root.replaceChildren(...solutionView(this.#exercise, data, this.#mine()));
    } catch {
      // The next call tries again.
      this.#data = null;
      this.root.replaceChildren(
        el(
          "p",
          { class: "ots-note" },
          "The solution could not be fetched. ",
          button("ots-button", () => void this.show(), "Try again"),
        ),
      );
    }
  }
}
