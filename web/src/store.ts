// What a reader did in an exercise, kept in the browser's local storage.

import { isFields } from "./verdict/schema.ts";
import type { Measured } from "./verdict/words.ts";

/** The last check, as far as it is worth remembering. */
export interface LastCheck {
  headline: string;
  pass: boolean;
  /** Of the last check that measured any. */
  benchmarks: Measured[];
}

export interface Saved {
  /** Hash of the starter that the reader began with. */
  starter: string;
  /** The reader's text; absent while it is the starter's. */
  files?: Record<string, string>;
  hints: number;
  passed: boolean;
  last?: LastCheck;
}

const PREFIX = "onthestack/1/";

export class Store {
  readonly #storage: Storage | null;

  /** A store over null remembers nothing and says so. */
  constructor(storage: Storage | null) {
    this.#storage = storage;
  }

  /** What was saved, or null when there is nothing readable. */
  load(exercise: string): Saved | null {
    try {
      return readSaved(this.#storage?.getItem(PREFIX + exercise) ?? null);
    } catch {
      return null;
    }
  }

  /** Reports whether it was kept: storage may be blocked or full. */
  save(exercise: string, saved: Saved): boolean {
    if (!this.#storage) return false;
    try {
      this.#storage.setItem(PREFIX + exercise, JSON.stringify(saved));
      return true;
    } catch {
      return false;
    }
  }

  /** Calls back when another tab saved this exercise. */
  onElsewhere(exercise: string, changed: (saved: Saved) => void): void {
    addEventListener("storage", (e) => {
      if (e.key !== PREFIX + exercise) return;
      const saved = readSaved(e.newValue);
      if (saved) changed(saved);
    });
  }
}

/** The browser's own storage; reading the property alone can throw where it is blocked. */
export function browserStore(): Store {
  try {
    return new Store(localStorage);
  } catch {
    return new Store(null);
  }
}

/** Reads what was saved, or null when it is not ours: anybody can write to local storage. */
export function readSaved(json: string | null): Saved | null {
  if (json === null) return null;
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    return null;
  }
  if (!isFields(raw) || typeof raw["starter"] !== "string") return null;
  const saved: Saved = {
    starter: raw["starter"],
    hints: typeof raw["hints"] === "number" ? Math.max(0, Math.floor(raw["hints"])) : 0,
    passed: raw["passed"] === true,
  };
  const files = raw["files"];
  if (isFields(files) && Object.values(files).every((f) => typeof f === "string")) {
    saved.files = files as Record<string, string>;
  }
  const last = raw["last"];
  if (isFields(last) && typeof last["headline"] === "string") {
    const benchmarks = Array.isArray(last["benchmarks"]) ? last["benchmarks"] : [];
    saved.last = { headline: last["headline"], pass: last["pass"] === true, benchmarks: benchmarks.filter(isMeasured) };
  }
  return saved;
}

function isMeasured(value: unknown): value is Measured {
  return (
    isFields(value) &&
    typeof value["name"] === "string" &&
    typeof value["allocs_per_op"] === "number" &&
    typeof value["bytes_per_op"] === "number"
  );
}

/** A short hash of some files (FNV-1a over names and text), to notice a changed starter. */
export function hashFiles(files: Record<string, string>): string {
  const text = JSON.stringify(Object.keys(files).sort().map((name) => [name, files[name]]));
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  return (h >>> 0).toString(16).padStart(8, "0");
}

export function sameFiles(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
