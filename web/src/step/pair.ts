// Two programs beside each other, which step together; and what shows a single one, because pages load both at once.

import { el } from "../dom.ts";
import type { ProgramStep, Steps } from "../go/step.ts";
import { Viewer, type Side } from "./viewer.ts";

export { readSides, readSteps, Viewer } from "./viewer.ts";

export interface PairOptions {
  /** The step of both to begin with, as an index. */
  at?: number;
  /** Called with each step of the second program. */
  onStep?: (step: ProgramStep, at: number) => void;
}

export class Pair {
  readonly root: HTMLElement;
  readonly #viewers: [Viewer, Viewer];
  readonly #first: Steps;

  constructor(first: Side, second: Side, { at = 0, onStep }: PairOptions) {
    this.#first = first.steps;
    const until = this.#until(second.steps);
    const side = ({ name, steps }: Side, onStep: (step: ProgramStep, at: number) => void) =>
      new Viewer(steps, { code: true, at, until, label: `${name}, step by step`, onStep });
    const before = side(first, () => {});
    const now = side(second, (step, at) => {
      before.show(at);
      onStep?.(step, at);
    });
    this.#viewers = [before, now];
    this.root = el(
      "div",
      { class: "ots-pair" },
      now.bar,
      el(
        "div",
        { class: "ots-pair-sides" },
        ...[first, second].map(({ name }, i) =>
          el("div", {}, el("p", { class: "ots-pair-name" }, name), this.#viewers[i]!.root),
        ),
      ),
    );
    this.root.addEventListener("keydown", (event) => now.key(event), { capture: true });
  }

  /** Takes other counts of the second program. */
  update(steps: Steps): void {
    const [first, second] = this.#viewers;
    first.update(this.#first, this.#until(steps));
    second.update(steps, this.#until(steps));
  }

  /** The last step of the longer program, as an index. */
  #until(second: Steps): number {
    return Math.max(this.#first.steps.length, second.steps.length) - 1;
  }

  /** The step that is shown, as an index. */
  get at(): number {
    return this.#viewers[1].at;
  }

  focus(): void {
    this.#viewers[1].focus();
  }

  /** Shows a step of both programs. */
  show(at: number): void {
    this.#viewers[1].show(at);
  }

  /** Handles a key, unless an element that has the focus needs it. */
  key(event: KeyboardEvent): void {
    this.#viewers[1].key(event);
  }

  /** To be called when the pair is removed from the page. */
  close(): void {
    for (const viewer of this.#viewers) viewer.close();
    this.root.remove();
  }
}
