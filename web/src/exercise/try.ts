// Opens a likely mistake in the editor of an exercise's page whose address ends in "?try=NAME". The reader's own code
// and progress are not changed.

import { el } from "../dom.ts";
import { hashFiles, type Files } from "../files.ts";
import { AppliedMistake, type ExerciseData } from "../go/exercise.ts";
import { readList } from "../json.ts";
import { siteRoot } from "../site-root.ts";
import { Store, type Read } from "../store.ts";
import { readSaved, type Saved } from "./saved.ts";

/** What an exercise begins with: the storage for what the reader does, and a notice, if there is one. */
export interface Beginning {
  store: Store;
  notice: HTMLElement | null;
}

/** Names of mistakes are short file names, but an address can contain anything. */
const LONGEST_NAME = 64;

/**
 * Prepares the mistake that the page's address names. Never rejects: if the mistake cannot be shown, the exercise
 * begins as usual.
 */
export async function begin(data: ExerciseData, store: Store): Promise<Beginning> {
  const wanted = new URLSearchParams(location.search).get("try")?.slice(0, LONGEST_NAME);
  // On a page with several exercises, the address does not say which one is meant.
  if (!wanted || document.querySelectorAll(".ots-exercise").length > 1) return { store, notice: null };
  const mistakes = await fetchMistakes(data.exercise);
  const mistake = mistakes?.find(({ name }) => name === wanted);
  if (mistake) {
    const notice = tryNotice(data.exercise, mistake, store.load(data.exercise, readSaved));
    return { store: new Aside(store, data, mistake.files), notice };
  }
  const notice = mistakes ? unknownNotice(data.exercise, wanted, mistakes) : lostNotice();
  return { store, notice };
}

/** Fetches the mistakes that tools/bookalloc wrote beside the exercise's page; null if they cannot be fetched. */
export async function fetchMistakes(exercise: string): Promise<AppliedMistake[] | null> {
  try {
    const reply = await fetch(`${siteRoot()}exercises/${exercise}/mistakes.json`);
    const json: unknown = reply.ok ? await reply.json() : null;
    return readList(AppliedMistake, json, "name", "files");
  } catch {
    return null;
  }
}

/**
 * A storage that holds the edits of a mistake in memory while the page is open, apart from the reader's code. Other
 * keys are the reader's.
 */
class Aside extends Store {
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

/** Returns this page's address with another mistake, or with none. */
function address(exercise: string, name: string | null): string {
  const url = new URL(location.href);
  url.hash = exercise;
  if (name === null) url.searchParams.delete("try");
  else url.searchParams.set("try", name);
  return url.href;
}

function tryNotice(exercise: string, { title }: AppliedMistake, own: Saved | null): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-begun", role: "note" },
    el("p", { class: "ots-headline" }, `A likely mistake: ${title}`),
    el(
      "p",
      {},
      own?.files
        ? "It stands in the place of your own code, which is kept as you left it. "
        : "It stands in the place of the starter. ",
      "Press Check to see what it gives. ",
      "Your changes here are lost when you leave the page, and passing here does not count. ",
    ),
    el(
      "p",
      {},
      el("a", { href: address(exercise, null) }, own?.files ? "Back to your own code" : "Back to the exercise"),
    ),
  );
}

function unknownNotice(exercise: string, wanted: string, mistakes: readonly AppliedMistake[]): HTMLElement {
  const links = mistakes.map(({ name, title }) => el("li", {}, el("a", { href: address(exercise, name) }, title)));
  const others = links.length > 0 ? `The likely mistakes of ${exercise} are:` : `${exercise} has none.`;
  return el(
    "div",
    { class: "ots-notice is-begun is-problem", role: "note" },
    el("p", { class: "ots-headline" }, `There is no likely mistake "${wanted}"`),
    el("p", {}, `The editor has your own code. ${others}`),
    links.length > 0 && el("ul", {}, ...links),
  );
}

function lostNotice(): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-begun is-problem", role: "note" },
    el("p", { class: "ots-headline" }, "The likely mistake could not be fetched"),
    el("p", {}, "The editor has your own code. Reload the page to try again."),
  );
}
