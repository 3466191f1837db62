// How far a class is with an exercise: a bar with a unit for each participant, and the same in words. The parts differ
// in their pattern and lightness, and not only in their color.

import { el } from "../dom.ts";
import type { Participant } from "../go/room.ts";
import { partOf, tally, type Part } from "./words.ts";

/** The parts of a bar, from the left. */
export const PARTS: Part[] = ["passed", "waiting", "near", "early", "none"];

/** The units of a bar with more participants would be too narrow to be seen. */
const MAX_UNITS = 120;

/** The words for participants whose code fails before the benchmark, by the stage at which it fails. */
const STAGES: [stage: string, words: (n: number) => string][] = [
  ["tests", (n) => `${n} ${n === 1 ? "fails" : "fail"} a test`],
  ["build", (n) => `${n} ${n === 1 ? "does" : "do"} not compile`],
  ["policy", (n) => `${n} not allowed`],
];

/** Returns how many participants' code fails at each stage before the benchmark: "3 fail a test, 2 do not compile". */
export function earlyWords(participants: readonly Participant[], exercise: string): string {
  const stages = participants
    .filter(({ work }) => partOf(work[exercise]) === "early")
    .map(({ work }) => work[exercise]!.stage);
  const known = STAGES.map(([stage, words]) => [stages.filter((s) => s === stage).length, words] as const);
  const rest = stages.length - known.reduce((sum, [n]) => sum + n, 0);
  return [...known, [rest, (n: number) => `${n} not passed`] as const]
    .filter(([n]) => n > 0)
    .map(([n, words]) => words(n))
    .join(", ");
}

const swatch = (part: Part): HTMLElement =>
  el("span", { class: "room-swatch", "data-part": part, "aria-hidden": "true" });

/** Returns what the patterns of the bars mean. */
export const tallyLegend = (): HTMLElement =>
  el("p", { class: "room-legend", "aria-hidden": "true" }, ...PARTS.map((part) => el("span", {}, swatch(part), LEGEND[part])));

const LEGEND: Record<Part, string> = {
  passed: "passed",
  waiting: "not graded yet",
  near: "over the target",
  early: "fails a test or an earlier stage",
  none: "not started",
};

/** The numbers are what somebody in the last row reads first. */
const withBoldNumbers = (words: string): (string | Node)[] =>
  words.split(/(\d+)/).map((part) => (/^\d/.test(part) ? el("b", {}, part) : part));

/** Returns the bar and its words. The shown text changes exactly when what is drawn does. */
export function tallyBar(participants: readonly Participant[], exercise: string): { shown: string; nodes: Node[] } {
  const sums = tally(participants, exercise);
  const words: Record<Part, string> = {
    passed: `${sums.passed} passed`,
    waiting: `${sums.waiting} not graded yet`,
    near: `${sums.near} over the target`,
    early: earlyWords(participants, exercise),
    none: `${sums.none} not started`,
  };
  const parts = PARTS.filter((part) => sums[part] > 0);
  const bar = el("div", { class: "room-tally", "aria-hidden": "true" });
  bar.classList.toggle("has-units", participants.length <= MAX_UNITS);
  for (const part of parts) {
    const share = el("span", { "data-part": part });
    share.style.flexGrow = String(sums[part]);
    share.style.setProperty("--units", String(sums[part]));
    bar.append(share);
  }
  const sentences = parts.map((part) =>
    el(
      "span",
      {},
      swatch(part),
      // Where there is no room for words, there is this number, and a legend below.
      el("b", { class: "room-count", "aria-hidden": "true" }, String(sums[part])),
      el("span", { class: "room-words" }, ...withBoldNumbers(words[part])),
      el("span", { class: "ots-unseen" }, "; "),
    ),
  );
  const nobody = el("p", { class: "room-sums" }, "Nobody is here yet.");
  return {
    shown: JSON.stringify([participants.length, sums, words]),
    nodes: participants.length === 0 ? [nobody] : [bar, el("p", { class: "room-sums" }, ...sentences)],
  };
}
