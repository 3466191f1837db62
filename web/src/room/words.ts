// The state of a room in words.

import { allocsPerOp, bytesPerOp, count, size } from "../verdict/words.ts";
import type { Participant, Room, Work } from "../go/room.ts";
import type { Answer } from "./api.ts";

/** A participant's standing on an exercise, from the best down. */
export type Standing = "passed" | "grading" | "failed" | "refused" | "near" | "early" | "checked" | "none";

export interface State {
  standing: Standing;
  /** A word or two: "passed", "tests". */
  short: string;
  /** The same for somebody who does not know the words of the grid. */
  long: string;
}

const STAGES: Record<string, string> = {
  policy: "uses something that the exercise does not allow",
  build: "does not compile",
  tests: "fails a test",
  benchmark: "is over its target",
};

/** Returns what code does that was checked, by the stage that failed; "" if all passed. */
export const stageWords = (stage: string): string => STAGES[stage] ?? "passes";

/** Returns why a submission is late. What is handed in after the room has ended is late also without a deadline. */
export const lateWords = ({ afterEnd }: { afterEnd: boolean }): string =>
  afterEnd ? "after the end" : "after the deadline";

/** Returns the state of an exercise. Only a pass that the server has graded is called passed. */
export function stateOf(work: Work | undefined): State {
  if (!work || (work.attempts === 0 && work.state === "")) return { standing: "none", short: "", long: "not started" };
  if (work.passed) {
    const short = work.late ? "passed late" : "passed";
    return { standing: "passed", short, long: work.late ? `passed, ${lateWords(work)}` : "passed" };
  }
  if (work.state === "queued") return { standing: "grading", short: "handed in", long: "handed in, not graded yet" };
  if (work.state === "failed")
    return { standing: "failed", short: "not graded", long: "handed in, but the server could not grade it" };
  const stage = STAGES[work.stage];
  if (work.state === "graded" && work.of !== "check") {
    const long = `handed in and graded: ${stage === undefined ? "not passed" : `it ${stage}`}`;
    return { standing: "refused", short: stage === undefined ? "not passed" : work.stage, long };
  }
  if (stage !== undefined)
    return { standing: work.stage === "benchmark" ? "near" : "early", short: work.stage, long: stage };
  return { standing: "checked", short: "checked", long: "passed in the page, not handed in" };
}

/**
 * Whether the figures were measured. In JSON, zero of zero cannot be told from no figures, so it counts only if the
 * exercise is known to have the target zero and the code meets it. Grades of earlier releases have no figures.
 */
export function isMeasured(work: Work | undefined, targetZero = false): work is Work {
  if (!work || !["", "benchmark"].includes(work.stage)) return false;
  return work.allocs > 0 || work.target > 0 || (targetZero && work.of !== "" && work.stage === "");
}

/** A measured value against its target. */
export interface Figure {
  value: number;
  target: number;
  /** "allocs/op", or "live B/op" where the exercise has a target for the bytes that stay in use. */
  unit: string;
  /** The value as the grid shows it: "2", "104 B". */
  short: string;
  /** The target as the grid shows it: "1", "72". */
  shortTarget: string;
  /** "2 allocs/op, target 1". */
  long: string;
}

/** Returns the figure that says most about an exercise. */
export function figure({ allocs, target, live, target_live }: Work): Figure {
  if (target_live > 0) {
    const [short, shortTarget] = [`${size(live)} B`, size(target_live)];
    const long = `${bytesPerOp(live)} stay in use, target ${shortTarget}`;
    return { value: live, target: target_live, unit: "live B/op", short, shortTarget, long };
  }
  const long = `${allocsPerOp(allocs)}, target ${count(target)}`;
  return { value: allocs, target, unit: "allocs/op", short: count(allocs), shortTarget: count(target), long };
}

export const plural = (n: number, one: string, more = `${one}s`): string => `${n} ${n === 1 ? one : more}`;

/** Makes a sentence of the server's words, which begin with a small letter and have no full stop. */
export const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Returns a span of time as one figure: "20 s", "4 min", "2 h". Times that are ahead count as now. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** Returns a span as short as it gets: "4m". */
export const shortSpan = (ms: number): string => span(ms).replace(/ (.).*/, "$1");

/** Returns how long ago something was: "just now", "4 min ago". */
export function ago(ms: number): string {
  return ms < 5_000 ? "just now" : `${span(ms)} ago`;
}

/** Returns a time of day, with the date if it is not today. */
export function moment(at: number, now = Date.now()): string {
  const time = new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (new Date(at).toDateString() === new Date(now).toDateString()) return time;
  return `${new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long" })}, ${time}`;
}

/** Returns the deadline in words; "" if there is none. now is the server's time. */
export function deadlineWords(room: Room, now: number): string {
  const at = Date.parse(room.deadline);
  if (room.ended) return `The room has ended.${graceWords(room, now)}`;
  if (!Number.isFinite(at)) return "";
  if (at > now) return `Deadline ${moment(at)}, in ${span(at - now)}.`;
  return `The deadline was ${moment(at)}. Submissions are now marked as late.`;
}

/** Returns until when a room that has ended takes what was handed in before; "" if it does not. */
function graceWords({ grace }: Room, now: number): string {
  const until = Date.parse(grace);
  return until > now ? ` Earlier submissions that still wait in a browser are accepted until ${moment(until)}.` : "";
}

/** Returns a sentence about a room that is older than today's numbers of the exercises, or "". */
export const renumberedWords = ({ renumbered }: Room): string =>
  renumbered ? "The exercises were renumbered after this room was opened, and this page shows the new numbers." : "";

/** Returns why the server did not do what it was asked, as a sentence; "" if it did. */
export function refusalWords(answer: Answer<unknown>): string {
  if (answer.kind === "ok") return "";
  return answer.kind === "refused" ? sentence(answer.message) : "The server does not answer. Try again.";
}

/** The notice to participants of a room whose instructor sees the code of each last check. */
export const SEES_CODE = "The instructor and their helpers see your code when you check it.";

/** Returns the server's time, from the page's clock and what the server's clock was when it sent the room. */
export function serverClock(room: Room): () => number {
  const offset = Date.parse(room.now) - Date.now();
  return () => Date.now() + (Number.isFinite(offset) ? offset : 0);
}

/** A bar of the distribution of a room. */
export interface Bar {
  /** In the unit of the exercise's figure. */
  value: number;
  label: string;
  participants: number;
  /** Whether the value meets the target. */
  reached: boolean;
}

/** Bars that are shown at most. The last one then counts all greater values. */
const MAX_BARS = 6;

/** Returns how many participants have which figure on an exercise, by value. */
export function spread(participants: readonly Participant[], exercise: string, targetZero = false): Bar[] {
  const bars = new Map<string, Bar>();
  for (const { work } of participants) {
    const own = work[exercise];
    if (!isMeasured(own, targetZero)) continue;
    const { value, short: label, target } = figure(own);
    const bar = bars.get(label) ?? { value, label, participants: 0, reached: value <= target };
    bar.participants++;
    bars.set(label, bar);
  }
  const sorted = [...bars.values()].sort((a, b) => a.value - b.value);
  if (sorted.length <= MAX_BARS) return sorted;
  const tail = sorted.splice(MAX_BARS - 1);
  const first = tail[0]!;
  return [
    ...sorted,
    {
      value: first.value,
      label: `${first.label} or more`,
      participants: tail.reduce((sum, bar) => sum + bar.participants, 0),
      reached: false,
    },
  ];
}

/** Returns "allocs/op, target 1", as the participants' pages report the exercise's target. */
export function spreadWords(participants: readonly Participant[], exercise: string): string {
  const found = participants.map(({ work }) => work[exercise]).find((work) => isMeasured(work));
  const { unit, shortTarget } = found ? figure(found) : { unit: "allocs/op", shortTarget: "0" };
  return `${unit}, target ${shortTarget}`;
}

/**
 * How far somebody is with an exercise, as a class is counted: passed; handed in, or passed in the page, so that the
 * server has not said that it passes; near, where only the allocations are left; early; or not started.
 */
export type Part = "passed" | "waiting" | "near" | "early" | "none";

/** Returns how far somebody is with an exercise. */
export function partOf(work: Work | undefined): Part {
  const { standing } = stateOf(work);
  switch (standing) {
    case "grading":
    case "failed":
    case "checked":
      return "waiting";
    case "refused":
      return work?.stage === "benchmark" ? "near" : "early";
    default:
      return standing;
  }
}

/** Returns how many participants of a room are how far with an exercise. */
export function tally(participants: readonly Participant[], exercise: string): Record<Part, number> {
  const sums = { passed: 0, waiting: 0, near: 0, early: 0, none: 0 };
  for (const { work } of participants) sums[partOf(work[exercise])]++;
  return sums;
}

/** Returns how often each likely mistake is matched on an exercise, most first. */
export function mistakes(participants: readonly Participant[], exercise: string): [name: string, times: number][] {
  const times = new Map<string, number>();
  for (const { work } of participants) {
    const own = work[exercise];
    if (own && own.mistake !== "" && !own.passed) times.set(own.mistake, (times.get(own.mistake) ?? 0) + 1);
  }
  return [...times].sort((a, b) => b[1] - a[1]);
}
