// The pane with the verdict. During a check, it shows the stages of that check in place of the last verdict's, and
// keeps the rest of the last verdict until there is a new one.

import { el } from "../dom.ts";
import type { Progress } from "../job.ts";
import type { Stage } from "../go/runner.ts";
import { stageRail } from "../verdict/view.ts";
import { stagesSoFar, type StageWords } from "../verdict/words.ts";

/** If a check takes longer than this, its stages are announced to screen readers. */
const SAY_AFTER_MS = 2000;

/**
 * Stages that end within this time of each other are drawn together. If the verdict comes first, they are not drawn at
 * all.
 */
const DRAW_AFTER_MS = 60;

export class VerdictPane {
  readonly root: HTMLElement;
  /** The headline, or how far the check is, for a place that is always in view. */
  readonly summary = el("span", { class: "ots-summary" });
  readonly #say: (words: string) => void;
  /** Restores the headline and the stages of the last verdict. Null if no check is under way. */
  #restore: (() => void) | null = null;
  #over: { stage: Stage; ok: boolean }[] = [];
  #saidAt = 0;
  #drawing: ReturnType<typeof setTimeout> | undefined;

  /** exercise names the pane, which need not be the only one of the page. say announces words to screen readers. */
  constructor(exercise: string, say: (words: string) => void) {
    this.root = el("div", { class: "ots-verdict-pane", role: "region", "aria-label": `Verdict on ${exercise}` });
    this.#say = say;
  }

  show(view: HTMLElement): void {
    this.#forget();
    this.root.replaceChildren(view);
    this.#summarize();
  }

  /** Shows the headline of the pane's verdict in the summary. */
  #summarize(): void {
    this.summary.textContent = this.root.querySelector(".ots-headline")?.textContent ?? "";
    const of = this.root.querySelector(".ots-v")?.classList;
    for (const name of ["is-pass", "is-miss"]) this.summary.classList.toggle(name, of?.contains(name) ?? false);
  }

  /** Begins the view of a check. */
  begin(): void {
    const headline = this.root.querySelector(".ots-headline");
    const rail = this.root.querySelector(".ots-stages");
    this.#over = [];
    this.#saidAt = performance.now();
    this.root.classList.add("is-checking");
    this.#draw("Checking…", stagesSoFar(null));
    this.#restore = () => {
      if (headline) this.root.querySelector(".ots-headline")?.replaceWith(headline);
      if (rail) this.root.querySelector(".ots-stages")?.replaceWith(rail);
    };
  }

  /** Shows the progress of a check. */
  progress(state: Progress): void {
    if (!this.#restore) return;
    switch (state.name) {
      case "stage":
        this.#over.push({ stage: state.stage, ok: state.ok });
        this.#drawing ??= setTimeout(() => this.#drawStages(), DRAW_AFTER_MS);
        return;
      case "fetching":
        if (state.announce) this.#say(state.words);
        return this.#draw(state.words, stagesSoFar(null));
      case "queued": {
        // A check that is under way may lose its place in the queue. Its stages then begin anew.
        this.#forgetStages();
        const number = state.position > 0 ? `, number ${state.position}` : "";
        return this.#draw(`Waiting${number} in the queue`, stagesSoFar(null));
      }
      case "busy":
      case "running":
        this.#forgetStages();
        return this.#draw("Checking…", stagesSoFar(null));
    }
  }

  #forgetStages(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#over = [];
  }

  #drawStages(): void {
    this.#drawing = undefined;
    const stages = stagesSoFar(this.#over);
    this.#draw("Checking…", stages);
    // Most checks end before a screen reader could read four announcements.
    if (performance.now() - this.#saidAt < SAY_AFTER_MS) return;
    this.#saidAt = performance.now();
    this.#say(stages.filter((s) => s.text !== "").map((s) => `${s.stage} ${s.text}`).join(", "));
  }

  /** Ends the view of a check. If there is no new verdict, the last one is shown again. */
  end(): void {
    this.#restore?.();
    if (this.#restore) this.#summarize();
    this.#forget();
  }

  #forget(): void {
    this.#restore = null;
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.root.classList.remove("is-checking");
  }

  #draw(headline: string, stages: readonly StageWords[]): void {
    this.root.querySelector(".ots-headline")?.replaceWith(el("p", { class: "ots-headline" }, headline));
    this.root.querySelector(".ots-stages")?.replaceWith(stageRail(stages));
    const running = stages.find((s) => s.state === "running");
    this.summary.textContent = running ? `${running.stage}: ${running.text}` : headline;
    this.summary.classList.remove("is-pass", "is-miss");
  }
}
