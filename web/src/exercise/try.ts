// Opens a likely mistake in the editor of an exercise's page whose address ends in "?try=NAME". The reader's own code
// and progress are not changed.

import { el } from "../dom.ts";
import type { AppliedMistake, ExerciseData } from "../go/exercise.ts";
import type { Store } from "../store.ts";
import { Aside, type Beginning } from "./aside.ts";
import { fetchMistakes } from "./mistakes.ts";
import { readSaved, type Saved } from "./saved.ts";

/** Names of mistakes are short file names, but an address can contain anything. */
const LONGEST_NAME = 64;

/**
 * Prepares the mistake that the page's address names. Never rejects: if the mistake cannot be shown, the exercise
 * begins as usual.
 */
export async function beginMistake(data: ExerciseData, store: Store): Promise<Beginning> {
  const wanted = new URLSearchParams(location.search).get("try")?.slice(0, LONGEST_NAME) ?? "";
  const mistakes = await fetchMistakes(data.exercise);
  const mistake = mistakes?.find(({ name }) => name === wanted);
  if (mistake) {
    const notice = tryNotice(data.exercise, mistake, store.load(data.exercise, readSaved));
    return { store: new Aside(store, data, mistake.files), notice };
  }
  const notice = mistakes ? unknownNotice(data.exercise, wanted, mistakes) : lostNotice();
  return { store, notice };
}

/** Returns this page's address with another mistake, or with none. */
function address(exercise: string, name: string | null): string {
  const url = new URL(location.href);
  url.hash = exercise;
  if (name === null) url.searchParams.delete("try");
  else url.searchParams.set("try", name);
  return url.href;
}

function tryNotice(exercise: string, { title }: AppliedMistake, saved: Saved | null): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-begun", role: "note" },
    el("p", { class: "ots-headline" }, `A likely mistake: ${title}`),
    el(
      "p",
      {},
      saved?.files
        ? "It takes the place of your own code, which is kept as you left it. "
        : "It takes the place of the starter. ",
      "Press Check to see its verdict. ",
      "Your changes here are lost when you leave the page, and passing here does not count. ",
    ),
    el(
      "p",
      {},
      el("a", { href: address(exercise, null) }, saved?.files ? "Back to your own code" : "Back to the exercise"),
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
