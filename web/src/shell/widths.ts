// How wide the panes are, in percent of all: kept in the browser's storage.

import { isFields } from "../json.ts";
import type { Store } from "../store.ts";

export interface Widths {
  /** Of the task and the verdict, when all three panes are beside each other. */
  task: number;
  verdict: number;
  /** Of the pane beside the code, when there are two. */
  side: number;
}

const NAME = "panes";

export const FIRST_WIDTHS: Readonly<Widths> = { task: 23, verdict: 29, side: 42 };

/** The smallest widths. */
const MIN = { task: 16, code: 30, verdict: 18, side: 28 };
const MAX_SIDE = 65;

/** Returns how wide a pane may be beside the others. */
export function rangeOf(pane: keyof Widths, { task, verdict }: Widths): [min: number, max: number] {
  switch (pane) {
    case "task":
      return [MIN.task, 100 - MIN.code - verdict];
    case "verdict":
      return [MIN.verdict, 100 - MIN.code - task];
    case "side":
      return [MIN.side, MAX_SIDE];
  }
}

/** Returns the widths that are kept, or the first ones if there are none or they do not leave room for the code. */
export function loadWidths(store: Store): Widths {
  const stored = store.load(NAME, (json) => {
    if (!isFields(json)) return null;
    const { task, verdict, side } = json;
    if (typeof task !== "number" || typeof verdict !== "number" || typeof side !== "number") return null;
    return { task, verdict, side };
  });
  const fits = (widths: Widths) =>
    (Object.keys(FIRST_WIDTHS) as (keyof Widths)[]).every((pane) => {
      const [min, max] = rangeOf(pane, widths);
      return widths[pane] >= min && widths[pane] <= max;
    });
  return stored && fits(stored) ? stored : { ...FIRST_WIDTHS };
}

export function saveWidths(store: Store, widths: Widths): void {
  store.save(NAME, widths);
}
