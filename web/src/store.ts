// The reader's data in the browser's storage: local storage, or session storage for one visit.

import { isFields } from "./json.ts";
import { renumbered } from "./renumbered.ts";

export const PREFIX = "onthestack/2/";
/** The prefix until the exercises were renumbered. A visit's store, which has none of them, kept it. */
const FORMER = "onthestack/1/";

/** Validates stored JSON, which any script of the host may have written; null if it is something else. */
export type Read<T> = (json: unknown) => T | null;

export class Store {
  readonly #storage: Storage | null;
  readonly #prefix: string;
  /** Called with the name of each value that was saved here. */
  onSave: ((name: string) => void) | null = null;

  /** A store of null saves nothing, and save returns false. */
  constructor(storage: Storage | null, prefix = PREFIX) {
    this.#storage = storage;
    this.#prefix = prefix;
  }

  /** Returns the value that was saved under a name, or null if there is none or it is not valid. */
  load<T>(name: string, read: Read<T>): T | null {
    try {
      return parse(this.#storage?.getItem(this.#prefix + name) ?? null, read);
    } catch {
      return null;
    }
  }

  /** Returns the names that begin with a prefix, in no order, without the prefix. */
  namesAfter(prefix: string): string[] {
    const names: string[] = [];
    try {
      for (let i = 0; i < (this.#storage?.length ?? 0); i++) {
        const key = this.#storage!.key(i);
        const before = this.#prefix + prefix;
        if (key?.startsWith(before)) names.push(key.slice(before.length));
      }
    } catch {
      // Storage is blocked, so nothing was saved.
    }
    return names;
  }

  /** Reports whether the value was saved. The browser's storage may be blocked or full. */
  save(name: string, value: unknown): boolean {
    if (!this.#storage) return false;
    try {
      this.#storage.setItem(this.#prefix + name, JSON.stringify(value));
    } catch {
      return false;
    }
    this.onSave?.(name);
    return true;
  }

  remove(name: string): void {
    try {
      this.#storage?.removeItem(this.#prefix + name);
    } catch {
      // Storage is blocked, so nothing was saved.
    }
  }

  /**
   * Calls changed when another tab saves a value under a name, or with null when it removes the value. byTab is false if
   * the value comes from the workspace; see workspace/announce.ts.
   */
  onElsewhere<T>(name: string, read: Read<T>, changed: (value: T | null, byTab: boolean) => void): void {
    addEventListener("storage", (e) => {
      if (e.storageArea === this.#storage && e.key === this.#prefix + name) changed(parse(e.newValue, read), e.isTrusted);
    });
  }
}

function parse<T>(json: string | null, read: Read<T>): T | null {
  if (json === null) return null;
  try {
    return read(JSON.parse(json));
  } catch {
    return null;
  }
}

/** Returns the store that lasts beyond a visit. */
export function browserStore(): Store {
  return over(() => {
    moveFormer(localStorage);
    return new Store(localStorage);
  });
}

/** Returns the store that lasts until the tab is closed. */
export function visitStore(): Store {
  return over(() => new Store(sessionStorage, FORMER));
}

/** Makes a store. If storage is blocked, even reading the property throws. */
function over(make: () => Store): Store {
  try {
    return make();
  } catch {
    return new Store(null);
  }
}

/**
 * Moves what was stored until the exercises were renumbered to today's names, which have another prefix, so that no old
 * name is taken for one of today. What cannot be moved stays for the next page, which moves it then. A page that was
 * opened before may still store something under the old names.
 */
export function moveFormer(storage: Storage): void {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
  for (const key of keys.filter((key) => key.startsWith(FORMER))) {
    const before = storage.getItem(key);
    if (before === null) continue; // another tab has just moved it
    const to = PREFIX + renumbered(key.slice(FORMER.length));
    // Verdicts, and submissions that wait, name their exercise.
    const value = before.replace(/(?<="exercise":")[^"]+/g, renumbered);
    const here = storage.getItem(to);
    const moved = here === null ? value : joined(here, value);
    try {
      storage.setItem(to, moved);
      storage.removeItem(key);
    } catch {
      // Storage is full, and has room for it once.
      storage.removeItem(key);
      try {
        storage.setItem(to, moved);
      } catch {
        storage.setItem(key, before);
      }
    }
  }
}

/** Joins what is stored under a name with what a page that was opened before has stored since: texts are kept aside. */
function joined(here: string, later: string): string {
  const [mine, theirs] = [here, later].map((json) => parse(json, (value) => value));
  if (Array.isArray(mine) && Array.isArray(theirs)) return JSON.stringify([...mine, ...theirs]);
  if (!isFields(mine) || !isFields(theirs) || !("starter" in mine)) return later;
  const asides = [theirs["asides"], [mine["files"]], mine["asides"]].flatMap((texts) => texts ?? []);
  const hints = Math.max(Number(mine["hints"]), Number(theirs["hints"]));
  return JSON.stringify({ ...mine, ...theirs, hints, passed: mine["passed"] || theirs["passed"], asides });
}
