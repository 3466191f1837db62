// Where the verdict stands. While a check is under way its stages stand there, in the verdict's own places, and what the
// last check said stays until there is something newer.

import type { Stage } from "../go/runner.ts";
import type { CheckNews } from "../responses.ts";
import { el } from "../dom.ts";
import { Fetching } from "../fetching.ts";
import { stageRail } from "../verdict/view.ts";
import { stagesSoFar, type StageWords } from "../verdict/words.ts";

/** A check that takes longer than this says what it is at. */
const SAY_AFTER_MS = 2000;

/** Stages that are over so shortly one after the other, or before the verdict, are shown at once: which of them failed is the verdict's to say. */
const DRAW_AFTER_MS = 60;

export class VerdictPane {
  readonly root: HTMLElement;
  readonly #say: (words: string) => void;
  /** Puts the settled headline and stages back. */
  #restore: (() => void) | null = null;
  #over: { stage: Stage; ok: boolean }[] = [];
  #saidAt = 0;
  #fetching = new Fetching();
  #drawing: ReturnType<typeof setTimeout> | undefined;

  /** exercise names it among others of the page; say tells a reader who does not see the page. */
  constructor(exercise: string, say: (words: string) => void) {
    this.root = el("div", { class: "ots-verdict-pane", role: "region", "aria-label": `Verdict on ${exercise}` });
    this.#say = say;
  }

  show(view: HTMLElement): void {
    this.#forget();
    this.root.replaceChildren(view);
  }

  /** A check begins. */
  begin(): void {
    const headline = this.root.querySelector(".ots-headline");
    const rail = this.root.querySelector(".ots-stages");
    this.#over = [];
    this.#saidAt = performance.now();
    this.#fetching = new Fetching();
    this.root.classList.add("is-checking");
    this.#draw("Checking…", stagesSoFar(null));
    this.#restore = () => {
      if (headline) this.root.querySelector(".ots-headline")?.replaceWith(headline);
      if (rail) this.root.querySelector(".ots-stages")?.replaceWith(rail);
    };
  }

  /** The check goes on. */
  tell(news: Exclude<CheckNews, { kind: "kept" }>): void {
    if (!this.#restore) return;
    if (news.kind === "fetching") return this.#fetching.tell(news, (words) => this.#draw(words, stagesSoFar(null)), this.#say);
    if (news.kind === "begun") return this.again();
    if (news.kind === "queued") {
      // A check may lose its place while it is under way; its stages are then told anew.
      this.#forgetStages();
      this.#draw(news.position > 0 ? `Waiting, number ${news.position} in the queue` : "Waiting in the queue", stagesSoFar(null));
      return;
    }
    this.#over.push({ stage: news.stage, ok: news.ok });
    this.#drawing ??= setTimeout(() => this.#drawStages(), DRAW_AFTER_MS);
  }

  /** The check begins, or is to be sent once more: what was told of it is past. */
  again(): void {
    if (!this.#restore) return;
    this.#forgetStages();
    this.#draw("Checking…", stagesSoFar(null));
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
    // Most checks are over before four announcements could be heard.
    if (performance.now() - this.#saidAt < SAY_AFTER_MS) return;
    this.#saidAt = performance.now();
    this.#say(stages.filter((s) => s.text !== "").map((s) => `${s.stage} ${s.text}`).join(", "));
  }

  /** The check is over; without a verdict, what was there before is what is known. */
  end(): void {
    this.#restore?.();
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
  }
}
