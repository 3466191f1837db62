// Code that an exercise's page shows in place of the reader's: a likely mistake, or an attempt that somebody shared.

import { hashFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import { Store, type Read } from "../store.ts";
import type { Saved } from "./saved.ts";

/** The state in which an exercise begins: the storage for the reader's work, and a notice, if there is one. */
export interface Beginning {
  store: Store;
  notice: HTMLElement | null;
}

/**
 * A storage that begins with other code than the reader's and holds it in memory while the page is open. Other keys are
 * the reader's.
 */
export class Aside extends Store {
  readonly #readers: Store;

  constructor(readers: Store, data: ExerciseData, files: Files) {
    super(memory());
    this.#readers = readers;
    const edited = { ...data.files, ...files };
    const saved: Saved = { starter: hashFiles(data.files), hints: 0, passed: false, files: edited };
    this.save(data.exercise, saved);
  }

  override load<T>(name: string, read: Read<T>): T | null {
    return super.load(name, read) ?? this.#readers.load(name, read);
  }
}

function memory(): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
    key: (at) => [...items.keys()][at] ?? null,
    get length() {
      return items.size;
    },
  };
}
