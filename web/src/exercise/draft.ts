// The reader's text of one exercise and how far they got, in the browser's storage. Several tabs may edit the same
// exercise.

import { hashFiles, sameFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import type { Store } from "../store.ts";
import { MAX_ASIDES, mergeAsides, mergeReached, readSaved, type LastCheck, type Saved } from "./saved.ts";

const SAVE_AFTER_MS = 300;

export interface DraftOptions {
  data: ExerciseData;
  store: Store;
  /** Returns the text in the editor. */
  text: () => Files;
  /** Called when the draft was stored, or could not be because storage is blocked or full. */
  onSaved: (stored: boolean) => void;
  /** Called when another tab has saved a different edit, between which the reader can choose. */
  onAside: () => void;
}

export class Draft {
  readonly #options: DraftOptions;
  readonly #starterHash: string;
  #saved: Saved;
  /**
   * The text that this tab last read from storage or wrote there. Any other text in storage was saved by another tab.
   */
  #known: Files;
  /** The texts aside that this tab last read from storage or wrote there. */
  #knownAsides: readonly Files[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: DraftOptions) {
    this.#options = options;
    const { data, store } = options;
    this.#starterHash = hashFiles(data.files);
    this.#saved = store.load(data.exercise, readSaved) ?? { starter: this.#starterHash, hints: 0, passed: false };
    if (!this.#saved.files) this.#saved.starter = this.#starterHash;
    this.#known = this.#restored(this.#saved);
    this.#knownAsides = this.#saved.asides ?? [];
    // Timers may not run any more once the reader has left the page.
    addEventListener("pagehide", () => this.flush());
  }

  get saved(): Readonly<Saved> {
    return this.#saved;
  }

  /** The text as it was last read from storage or written there. */
  get files(): Files {
    return this.#known;
  }

  /** Whether the starter differs from the one that the reader began with. */
  get outdated(): boolean {
    return this.#saved.files !== undefined && this.#saved.starter !== this.#starterHash;
  }

  /** Returns the reader's texts over the starter's. Files that the exercise no longer has are left out. */
  #restored(saved: Saved): Files {
    const files = { ...this.#options.data.files };
    for (const name of Object.keys(files)) {
      const text = saved.files?.[name];
      if (text !== undefined) files[name] = text;
    }
    return files;
  }

  /** To be called after each edit. The text is stored a little later. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), SAVE_AFTER_MS);
  }

  /** Stores a pending edit at once. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const files = this.#options.text();
    if (sameFiles(files, this.#options.data.files)) {
      delete this.#saved.files;
      this.#saved.starter = this.#starterHash;
    } else {
      this.#saved.files = files;
    }
    this.#save();
  }

  /** Stores the reader's progress. */
  record(more: { hints?: number; last?: LastCheck; passedAt?: string; spoiled?: boolean }): void {
    const { hints, last, passedAt } = more;
    if (hints !== undefined) this.#saved.hints = hints;
    const spoiled = more.spoiled ?? this.#saved.spoiled ?? false;
    if (spoiled && !this.#saved.passed) this.#saved.spoiled = true;
    if (passedAt !== undefined) mergeReached(this.#saved, { hints: 0, passed: true, passedAt, spoiled });
    if (last) this.#saved.last = last;
    this.#save();
  }

  /** Replaces the text with the starter. */
  reset(): void {
    this.#saved.starter = this.#starterHash;
    this.flush();
  }

  /** Stores the draft for the first time in this visit. */
  begin(): void {
    const { data, store, onSaved } = this.#options;
    onSaved(store.save(data.exercise, this.#saved));
  }

  #save(): void {
    const { data, store, onSaved } = this.#options;
    // Another tab, or an imported file, may have got further meanwhile.
    const stored = store.load(data.exercise, readSaved);
    const mine = this.#restored(this.#saved);
    if (stored) {
      mergeReached(this.#saved, stored);
      this.#mergeAsides(stored);
      this.#setAside(this.#restored(stored), mine);
    }
    this.#known = mine;
    this.#knownAsides = this.#saved.asides ?? [];
    onSaved(store.save(data.exercise, this.#saved));
  }

  /**
   * Puts aside the text that another tab has saved meanwhile, unless it equals the text in the editor or the text
   * before it.
   */
  #setAside(theirs: Files, mine: Files): void {
    if (sameFiles(theirs, mine) || sameFiles(theirs, this.#known)) return;
    this.#saved.asides = mergeAsides(this.#saved.asides ?? [], [], [theirs]);
    this.#options.onAside();
  }

  #mergeAsides(stored: Saved): void {
    this.#saved.asides = mergeAsides(this.#saved.asides ?? [], this.#knownAsides, stored.asides ?? []);
    this.#knownAsides = stored.asides ?? [];
  }

  /**
   * Takes over what another tab has saved, and returns its text for the editor. Returns null if this tab keeps its own
   * text, because it has an edit of its own or the reader is typing.
   */
  adopt(saved: Saved, typing: boolean): Files | null {
    const theirs = this.#restored(saved);
    const mine = this.#options.text();
    if (sameFiles(theirs, mine) || (!typing && sameFiles(mine, this.#known))) {
      this.#mergeAsides(saved);
      this.#saved = { ...saved, asides: this.#saved.asides ?? [] };
      this.#known = theirs;
      this.#options.onAside();
      return theirs;
    }
    mergeReached(this.#saved, saved);
    const forgotten = this.#knownAsides.some((files) => sameFiles(files, mine));
    this.#mergeAsides(saved);
    this.#options.onAside();
    // Do not save the text of this tab here: the other tab would take that for an edit, put its own text aside and
    // save, and so on without end.
    if (!sameFiles(theirs, this.#known)) this.#setAside(theirs, mine);
    this.#known = theirs;
    if (!forgotten) this.#storeAside(saved, mine);
    return null;
  }

  /**
   * Puts this tab's text aside in storage, where the other tab's text stays. Two tabs that save at the same moment do
   * not see each other's text, and only the later one is stored.
   */
  #storeAside(stored: Saved, mine: Files): void {
    const { data, store } = this.#options;
    const asides = stored.asides ?? [];
    const pending = this.#timer !== undefined; // this tab is about to save, and then puts the other text aside
    if (pending || asides.length >= MAX_ASIDES || sameFiles(mine, data.files)) return;
    if (asides.some((files) => sameFiles(files, mine))) return;
    this.#knownAsides = [...asides, mine];
    store.save(data.exercise, { ...stored, asides: [...asides, mine] });
  }

  /** The texts that other tabs have saved and that differ from the one in the editor. */
  get asides(): Files[] {
    return (this.#saved.asides ?? []).filter((files) => !sameFiles(files, this.#options.text()));
  }

  /** Puts the editor's text aside, behind the others, and returns the first of those, for the editor. */
  swap(): Files {
    const [next, ...others] = this.asides;
    if (!next) return this.#options.text();
    this.#saved.asides = [...others, this.#options.text()];
    return this.#restored({ ...this.#saved, files: next });
  }

  /** Removes the first of the other texts. */
  forgetAside(): void {
    this.#saved.asides = this.asides.slice(1);
    this.#save();
  }
}
