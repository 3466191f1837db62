// The progress that this browser keeps: what the editors saved, exercise by exercise.

import { reach, readSaved, type Reached, type Saved } from "../exercise/saved.ts";
import type { Store } from "../store.ts";
import { cost } from "../verdict/words.ts";
import { readProgress, writeProgress, type Progress, type State } from "./file.ts";

/** What files said of exercises that this workbook does not have, as the text of such a file. */
const OTHERS = "progress/others";
const readOthers = (json: unknown): Progress | null => (typeof json === "string" ? readProgress(json) : null);

/** What became of a file's progress. */
export interface Taken {
  /** Exercises that are passed now and were not before. */
  newly: string[];
  /** Exercises that this workbook does not have. */
  others: string[];
  /** Whether the browser kept all of it. */
  kept: boolean;
}

export class Kept {
  readonly #store: Store;
  readonly #ids: readonly string[];

  /** Over the store, for the exercises with these IDs, in their order. */
  constructor(store: Store, ids: readonly string[]) {
    this.#store = store;
    this.#ids = ids;
    this.#adopt();
  }

  /** Reports whether the browser keeps anything at all. */
  works(): boolean {
    const works = this.#store.save("progress/probe", true);
    this.#store.remove("progress/probe");
    return works;
  }

  /** What is kept of an exercise; null where it was not begun. */
  of(id: string): Saved | null {
    const saved = this.#store.load(id, readSaved);
    // An editor saves as soon as it is there, before anything was done in it.
    return saved && (saved.passed || saved.hints > 0 || saved.files || saved.last) ? saved : null;
  }

  passed(): number {
    return this.#ids.filter((id) => this.of(id)?.passed).length;
  }

  /** The first exercise that has not passed; null where all have. */
  next(): string | null {
    return this.#ids.find((id) => !this.of(id)?.passed) ?? null;
  }

  /** Calls back when another tab changed something. */
  onElsewhere(changed: () => void): void {
    for (const id of this.#ids) this.#store.onElsewhere(id, readSaved, changed);
  }

  /** All progress, for a file. The reader's text is not in it: that stays in this browser. */
  progress(now: Date): Progress {
    const all = this.#others();
    for (const id of this.#ids) {
      const saved = this.of(id);
      if (!saved) continue;
      // Before a time was kept with it, a pass was only a mark. It passed by now, and that is what stays.
      if (saved.passed && saved.passedAt === undefined) {
        saved.passedAt = now.toISOString();
        this.#store.save(id, saved);
      }
      const state: State = {
        ...(saved.passedAt === undefined ? {} : { passed: saved.passedAt }),
        hints: saved.hints,
        last: saved.last?.benchmarks ?? [],
      };
      if (saved.passed || state.hints > 0 || state.last.length > 0) all.set(id, state);
    }
    return all;
  }

  /** Adds the progress of a file that was written at a time. */
  take(progress: Progress, written: Date): Taken {
    const taken: Taken = { newly: [], others: [], kept: true };
    const others = this.#others();
    for (const [id, state] of progress) {
      if (!this.#ids.includes(id)) {
        taken.others.push(id);
        others.set(id, joined(others.get(id), state));
        continue;
      }
      const before = this.of(id)?.passed ?? false;
      if (!this.#add(id, state, written)) taken.kept = false;
      else if (!before && state.passed !== undefined) taken.newly.push(id);
    }
    if (taken.others.length > 0 && !this.#store.save(OTHERS, writeProgress(others))) taken.kept = false;
    return taken;
  }

  #add(id: string, state: State, written: Date): boolean {
    // Of a browser that has not opened the exercise no text is known, and so no starter that it began with.
    const saved = this.#store.load(id, readSaved) ?? { starter: "", hints: 0, passed: false };
    reach(saved, reached(state));
    const figure = state.last[0];
    // A file does not say when its figures were measured, but not later than it was written.
    const later = !saved.last || written.getTime() > Date.parse(saved.last.at ?? "1970-01-01T00:00:00Z");
    if (figure && later) saved.last = { headline: cost(figure), benchmarks: state.last, at: written.toISOString() };
    return this.#store.save(id, saved);
  }

  #others(): Progress {
    return this.#store.load(OTHERS, readOthers) ?? new Map<string, State>();
  }

  /** What an older workbook did not have, this one may. */
  #adopt(): void {
    const others = this.#others();
    const mine = this.#ids.filter((id) => others.has(id));
    for (const id of mine) if (this.#add(id, others.get(id)!, new Date(0))) others.delete(id);
    if (mine.length > 0) this.#store.save(OTHERS, writeProgress(others));
  }
}

function reached(state: State): Reached {
  return { hints: state.hints, passed: state.passed !== undefined, ...(state.passed === undefined ? {} : { passedAt: state.passed }) };
}

function joined(mine: State | undefined, theirs: State): State {
  if (!mine) return theirs;
  const both = reached(mine);
  reach(both, reached(theirs));
  return {
    ...(both.passedAt === undefined ? {} : { passed: both.passedAt }),
    hints: both.hints,
    last: theirs.last.length > 0 ? theirs.last : mine.last,
  };
}
