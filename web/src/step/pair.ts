// Two programs beside each other, which step together.

import { el } from "../dom.ts";
import type { ProgramStep, Steps } from "../go/step.ts";
import { Viewer } from "./viewer.ts";

export interface PairOptions {
  /** The step of both to begin with, as an index. */
  at?: number;
  /** Called with each step of the second program. */
  onStep?: (step: ProgramStep, at: number) => void;
}

export class Pair {
  readonly root: HTMLElement;
  readonly #viewers: Viewer[] = [];
  /** Set while one program follows the other, so that the shorter one does not hold the longer one back. */
  #following = false;

  constructor(first: Steps, second: Steps, { at = 0, onStep }: PairOptions) {
    const follow = (other: number, at: number) => {
      if (this.#following) return;
      this.#following = true;
      this.#viewers[other]?.show(at);
      this.#following = false;
    };
    this.#viewers.push(
      new Viewer(first, { code: true, at, label: "The program before", onStep: (_, at) => follow(1, at) }),
    );
    this.#viewers.push(
      new Viewer(second, {
        code: true,
        at,
        label: "The program now",
        onStep: (step, at) => {
          follow(0, at);
          onStep?.(step, at);
        },
      }),
    );
    const [before, now] = this.#viewers;
    this.root = el(
      "div",
      { class: "ots-pair" },
      el("div", {}, el("p", { class: "ots-mem-title" }, "Before"), before!.root),
      el("div", {}, el("p", { class: "ots-mem-title" }, "Now"), now!.root),
    );
  }

  /** The step of the second program that is shown, as an index. */
  get at(): number {
    return this.#viewers[1]!.at;
  }

  focus(): void {
    this.#viewers[1]!.focus();
  }

  /** To be called when the pair is removed from the page. */
  close(): void {
    for (const viewer of this.#viewers) viewer.close();
    this.root.remove();
  }
}
