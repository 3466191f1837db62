// The data on exercises in the site's pages of rooms, from the block of site/layouts/_partials/room/data.html.

import { blockData } from "../dom.ts";
import { readList, type Shape } from "../json.ts";

/** A likely mistake on an exercise. */
export interface KnownMistake {
  name: string;
  title: string;
  /** Advice for a participant who made this mistake. */
  say: string;
}

const KnownMistake: Shape<KnownMistake> = { name: "", title: "", say: "" };

export interface KnownExercise {
  exercise: string;
  number: number;
  title: string;
  chapter: string;
  /** Relative to the page. */
  href: string;
  /** Whether the target of all benchmarks is zero allocs/op. */
  zero: boolean;
  mistakes: KnownMistake[];
}

const KnownExercise: Shape<KnownExercise> = {
  exercise: "",
  number: 0,
  title: "",
  chapter: "",
  href: "",
  zero: false,
  mistakes: [KnownMistake],
};

/** The plan of a workshop, which the site has a page of. */
export interface KnownPlan {
  title: string;
  /** Relative to the page. */
  href: string;
  /** The questions that it asks, by their IDs. */
  questions: string[];
}

const KnownPlan: Shape<KnownPlan> = { title: "", href: "", questions: [""] };

export class Exercises {
  readonly all: KnownExercise[];
  readonly plans: KnownPlan[];

  constructor(block: Element) {
    const json = blockData(block) as { exercises?: unknown; plans?: unknown } | null;
    this.all = readList(KnownExercise, json?.exercises, "exercise", "title", "href") ?? [];
    this.plans = readList(KnownPlan, json?.plans, "title", "href") ?? [];
  }

  /** Returns what is known of an exercise. A newer server may have some that this page does not know. */
  get(id: string): KnownExercise {
    return (
      this.all.find(({ exercise }) => exercise === id) ?? {
        exercise: id,
        number: 0,
        title: id,
        chapter: "",
        href: "",
        zero: false,
        mistakes: [],
      }
    );
  }
}
