// The reader's progress on the list of exercises: a mark in each row, the sum, and a file to export and import.

import { el } from "../dom.ts";
import { passedWords, type Saved } from "../exercise/saved.ts";
import { lastPlace, type Place } from "../reading/place.ts";
import { READING, readReading } from "../reading/stored.ts";
import { hasRepository } from "../site-root.ts";
import type { Store } from "../store.ts";
import { cost } from "../verdict/words.ts";
import { fileButtons } from "./buttons.ts";
import { ProgressStore } from "./progress-store.ts";

/**
 * Puts the sum into the block, the state of each exercise into the .ots-reached element of its row, and the buttons for
 * the file into .ots-so-far-file. Reports whether the page lists exercises.
 */
export function upgradeProgress(block: HTMLElement, store: Store): boolean {
  const marks = [...document.querySelectorAll<HTMLElement>(".ots-reached[data-exercise]")];
  const links = new Map<string, HTMLAnchorElement>();
  for (const mark of marks) {
    const id = mark.dataset["exercise"]!;
    const link = mark.parentElement?.querySelector("a");
    if (link && !links.has(id)) links.set(id, link);
  }
  const ids = [...links.keys()];
  if (ids.length === 0) return false;

  const progress = new ProgressStore(store, ids);
  if (!progress.works()) {
    block.replaceChildren(
      el(
        "p",
        {},
        "This browser’s storage is blocked, so no progress is kept here.",
        hasRepository() && " In a clone, checkalloc keeps it.",
      ),
    );
    return true;
  }
  const show = () => {
    block.replaceChildren(...sum(progress, ids, links, lastPlace(store)));
    for (const mark of marks) mark.replaceChildren(...reached(progress.of(mark.dataset["exercise"]!)));
  };
  show();
  progress.onElsewhere(show);
  store.onElsewhere(READING, readReading, show);
  // A page in the browser's back-forward cache receives no storage events.
  addEventListener("pageshow", (e) => e.persisted && show());
  document.querySelector(".ots-so-far-file")?.append(...fileButtons(progress, show));
  return true;
}

function sum(
  progress: ProgressStore,
  ids: readonly string[],
  links: ReadonlyMap<string, HTMLAnchorElement>,
  place: Place | null,
): Node[] {
  const next = progress.next();
  const link = next === null ? null : links.get(next);
  const words = next === null ? `All ${ids.length} passed.` : `${progress.passed()} of ${ids.length} passed.`;
  const begun = place !== null || ids.some((id) => progress.of(id));
  return [
    el(
      "p",
      {},
      el("strong", {}, words),
      ...(place ? way("Continue", place.title, place.href) : []),
      // An exercise to continue with is not named twice.
      ...(link && next !== place?.exercise ? way(begun ? "Next" : "Start", link.textContent ?? "", link.href) : []),
    ),
    ...answered(progress),
    el(
      "div",
      { class: "ots-so-far-bar", "aria-hidden": "true" },
      ...ids.map((id) => el("span", { class: stage(progress.of(id)) })),
    ),
  ];
}

/** Returns a link that says where it leads: "Next: Count, then make". */
const way = (word: string, title: string, href: string): (Node | string)[] => [
  " ",
  el("span", { class: "ots-so-far-way" }, `${word}: `, el("a", { href }, title)),
];

/** Returns a line about the book's questions, if the reader has answered one. */
function answered(progress: ProgressStore): Node[] {
  const answers = [...progress.answers().values()];
  if (answers.length === 0) return [];
  const right = answers.filter((answer) => answer.right).length;
  const questions = answers.length === 1 ? "question" : "questions";
  return [el("p", {}, `${answers.length} ${questions} of the book answered, ${right} right.`)];
}

const stage = (saved: Saved | null) => (saved === null ? null : saved.passed ? "is-passed" : "is-begun");

/** Returns the state of an exercise in words, with the last figure. */
function reached(saved: Saved | null): Node[] {
  const state = saved === null ? "not started" : saved.passed ? passedWords(saved) : "started";
  const figure = saved?.last?.benchmarks[0];
  return [
    el("span", { class: `ots-reached-state ${stage(saved) ?? ""}`.trim() }, state),
    ...(figure ? [el("span", { class: "ots-reached-figure" }, ` at ${cost(figure)}`)] : []),
  ];
}
