// Where to go on: the links to the beginning lead there once the reader has been somewhere.

import { blockData } from "../dom.ts";
import type { Listed } from "../go/exercise.ts";
import { isFields } from "../json.ts";
import { bookRoot, fromRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import { BEGINNINGS, EXERCISE, isPassed, pathOf, READING, readReading } from "./stored.ts";

/** A page to continue at. */
export interface Place {
  title: string;
  href: string;
  /** The exercise whose page it is; null for a page of the book. */
  exercise: string | null;
}

/** Returns the page where the reader was; null if there is none, or if it is an exercise that has passed. */
export function lastPlace(store: Store): Place | null {
  const reading = store.load(READING, readReading);
  if (!reading || ["", ...BEGINNINGS].includes(reading.page)) return null;
  const exercise = EXERCISE.exec(reading.page)?.[1] ?? null;
  if (exercise && isPassed(store, exercise)) return null;
  return { title: reading.title, href: bookRoot() + reading.page, exercise };
}

/**
 * Makes a link to the book's beginning one to the page where the reader was. After an exercise that has passed, that is
 * the next one, as the verdict and the list of exercises name it, if an exercise on this page has the list of all.
 */
export function continueReading(link: HTMLAnchorElement, store: Store): void {
  const atExercise = EXERCISE.test(store.load(READING, readReading)?.page ?? "");
  const next = atExercise ? listed().find(({ exercise }) => !isPassed(store, exercise)) : undefined;
  const place = lastPlace(store) ?? (next && { title: next.title, href: fromRoot(next.href) });
  if (!place || [pathOf(link.href), pathOf(location.href)].includes(pathOf(place.href))) return;
  link.href = place.href;
  link.textContent = `Continue: ${place.title}`;
}

/** Returns all exercises in their order, from the data of one on this page. */
function listed(): readonly Listed[] {
  const exercise = document.querySelector(".ots-exercise");
  const data = exercise && blockData(exercise);
  return isFields(data) && Array.isArray(data["all"]) ? (data["all"] as Listed[]) : [];
}
