// The reader's progress in this browser's storage, where the editor of each exercise saves it.

import { ANSWERS, readAnswer } from "../choices/data.ts";
import { mergeReached, readSaved, type Reached, type Saved } from "../exercise/saved.ts";
import type { Store } from "../store.ts";
import { cost } from "../verdict/words.ts";
import { readProgress, writeProgress, type Answers, type Progress, type State } from "./file.ts";

/**
 * The key of the progress on exercises that this workbook does not have, from imported files. Its value is such a file.
 */
const UNKNOWN = "progress/others";
const readUnknown = (json: unknown): Progress | null => (typeof json === "string" ? readProgress(json) : null);

/** The result of merging a file's progress. */
export interface Merged {
  /** IDs of the exercises that are passed now and were not before. */
  newlyPassed: string[];
  /** IDs of the exercises in the file that this workbook does not have. */
  unknown: string[];
  /** Whether the browser stored all of it. */
  stored: boolean;
}

/** The progress on a list of exercises. */
export class ProgressStore {
  readonly #store: Store;
  readonly #ids: readonly string[];

  /** ids are the exercises' IDs, in their order. */
  constructor(store: Store, ids: readonly string[]) {
    this.#store = store;
    this.#ids = ids;
    this.#mergeKnown();
  }

  /** Reports whether the browser stores anything. */
  works(): boolean {
    const works = this.#store.save("progress/probe", true);
    this.#store.remove("progress/probe");
    return works;
  }

  /** Returns what is stored about an exercise; null if the reader has not begun it. */
  of(id: string): Saved | null {
    const saved = this.#store.load(id, readSaved);
    // An editor saves when it opens, before the reader has done anything.
    return saved && (saved.passed || saved.spoiled || saved.hints > 0 || saved.files || saved.last) ? saved : null;
  }

  /** Returns the number of exercises that have passed. */
  passed(): number {
    return this.#ids.filter((id) => this.of(id)?.passed).length;
  }

  /** Returns the ID of the first exercise that has not passed; null if all have. */
  next(): string | null {
    return this.#ids.find((id) => !this.of(id)?.passed) ?? null;
  }

  /** Calls changed when another tab has saved progress. */
  onElsewhere(changed: () => void): void {
    for (const id of this.#ids) this.#store.onElsewhere(id, readSaved, changed);
  }

  /** Returns all progress, for export. It does not contain the reader's code. */
  progress(now: Date): Progress {
    const all = this.#unknown();
    for (const id of this.#ids) {
      const saved = this.of(id);
      if (!saved) continue;
      // Earlier versions did not store the time of a pass. The time of the first export takes its place.
      if (saved.passed && saved.passedAt === undefined) {
        saved.passedAt = now.toISOString();
        this.#store.save(id, saved);
      }
      const state: State = {
        ...(saved.passedAt === undefined ? {} : { passed: saved.passedAt }),
        ...(saved.spoiled ? { spoiled: true } : {}),
        hints: saved.hints,
        last: saved.last?.benchmarks ?? [],
      };
      if (saved.passed || saved.spoiled || state.hints > 0 || state.last.length > 0) all.set(id, state);
    }
    return all;
  }

  /** Merges the progress of a file that was last modified at the given time. */
  merge(progress: Progress, modified: Date): Merged {
    const merged: Merged = { newlyPassed: [], unknown: [], stored: true };
    const unknown = this.#unknown();
    for (const [id, state] of progress) {
      if (!this.#ids.includes(id)) {
        merged.unknown.push(id);
        unknown.set(id, joined(unknown.get(id), state));
        continue;
      }
      const before = this.of(id)?.passed ?? false;
      if (!this.#mergeState(id, state, modified)) merged.stored = false;
      else if (!before && state.passed !== undefined) merged.newlyPassed.push(id);
    }
    if (merged.unknown.length > 0 && !this.#store.save(UNKNOWN, writeProgress(unknown))) merged.stored = false;
    return merged;
  }

  /** Returns the answers that the reader gave to the book's questions. */
  answers(): Answers {
    const answers: Answers = new Map();
    for (const name of this.#store.namesAfter(ANSWERS)) {
      const answer = this.#store.load(ANSWERS + name, readAnswer);
      if (answer && answer.choice !== null) answers.set(name, answer);
    }
    return answers;
  }

  /** Stores the answers of a file to questions that were not answered here. Reports whether all were stored. */
  mergeAnswers(answers: Answers): boolean {
    const here = this.answers();
    return [...answers].every(([name, answer]) => here.has(name) || this.#store.save(ANSWERS + name, answer));
  }

  #mergeState(id: string, state: State, modified: Date): boolean {
    // If the exercise was never opened in this browser, there is no code, so the starter does not matter.
    const saved = this.#store.load(id, readSaved) ?? { starter: "", hints: 0, passed: false };
    mergeReached(saved, reached(state));
    const figure = state.last[0];
    // A file does not contain the time of its figures. They are at most as recent as the file.
    const later = !saved.last || modified.getTime() > Date.parse(saved.last.at ?? "1970-01-01T00:00:00Z");
    if (figure && later) saved.last = { headline: cost(figure), benchmarks: state.last, at: modified.toISOString() };
    return this.#store.save(id, saved);
  }

  #unknown(): Progress {
    return this.#store.load(UNKNOWN, readUnknown) ?? new Map<string, State>();
  }

  /** Merges imported progress on exercises that an earlier version of the workbook did not have. */
  #mergeKnown(): void {
    const unknown = this.#unknown();
    const known = this.#ids.filter((id) => unknown.has(id));
    for (const id of known) if (this.#mergeState(id, unknown.get(id)!, new Date(0))) unknown.delete(id);
    if (known.length > 0) this.#store.save(UNKNOWN, writeProgress(unknown));
  }
}

function reached({ hints, passed, spoiled }: State): Reached {
  return {
    hints,
    passed: passed !== undefined,
    ...(passed === undefined ? {} : { passedAt: passed }),
    ...(spoiled ? { spoiled } : {}),
  };
}

function joined(mine: State | undefined, theirs: State): State {
  if (!mine) return theirs;
  const both = reached(mine);
  mergeReached(both, reached(theirs));
  return {
    ...(both.passedAt === undefined ? {} : { passed: both.passedAt }),
    ...(both.spoiled ? { spoiled: true } : {}),
    hints: both.hints,
    last: theirs.last.length > 0 ? theirs.last : mine.last,
  };
}
