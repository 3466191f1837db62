// Drafts: programs that the reader changed and has not shared, by the ID of the program that they began as.

import { isFields } from "../json.ts";
import type { Store } from "../store.ts";

/** The largest number of drafts that is stored. A browser's storage is small, and a reader may open many programs. */
const MAX_DRAFTS = 20;

const LIST = "play/drafts";

interface Draft {
  id: string;
  text: string;
}

export class Drafts {
  readonly #browser: Store;
  readonly #visit: Store;

  /** Drafts of this visit have priority, because two tabs may have the same program open. */
  constructor(browser: Store, visit: Store) {
    this.#browser = browser;
    this.#visit = visit;
  }

  /** Returns the draft of a program; null if there is none. */
  load(id: string): string | null {
    const here = this.#visit.load(ofVisit(id), (json) => (typeof json === "string" ? json : null));
    return here ?? this.#list().find((d) => d.id === id)?.text ?? null;
  }

  /** Reports whether the draft was stored. */
  save(id: string, text: string): boolean {
    this.#visit.save(ofVisit(id), text);
    return this.#browser.save(LIST, [{ id, text }, ...this.#others(id)].slice(0, MAX_DRAFTS));
  }

  remove(id: string): void {
    this.#visit.remove(ofVisit(id));
    const others = this.#others(id);
    if (others.length > 0) this.#browser.save(LIST, others);
    else this.#browser.remove(LIST);
  }

  #others(id: string): Draft[] {
    return this.#list().filter((d) => d.id !== id);
  }

  #list(): Draft[] {
    return this.#browser.load(LIST, readDrafts) ?? [];
  }
}

const ofVisit = (id: string): string => `play/draft/${id}`;

function readDrafts(json: unknown): Draft[] | null {
  if (!Array.isArray(json)) return null;
  return json.filter((d): d is Draft => isFields(d) && typeof d["id"] === "string" && typeof d["text"] === "string");
}
