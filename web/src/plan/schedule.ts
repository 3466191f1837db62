// The times of a workshop's plan. Times are minutes after midnight, of the local clock.

import { isFields } from "../json.ts";
import type { Store } from "../store.ts";

/** A part of the plan. */
export interface Block {
  id: string;
  title: string;
  minutes: number;
}

/** The day of a workshop, as the instructor sets it. */
export interface Day {
  /** The time at which the plan begins. */
  start: number;
  /** The date on which it was last begun, as 2026-11-23; "" if never. */
  date: string;
  /** The times at which the parts began on that date, in the plan's order. The last one is under way. */
  begun: number[];
}

const DAY_MINUTES = 24 * 60;

/** Reads "9:00"; null if it is no time. */
export function readClock(text: string): number | null {
  const parts = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim());
  return parts && Number(parts[1]) * 60 + Number(parts[2]);
}

/** Writes a time as "9:05". */
export function clock(time: number): string {
  const minutes = ((Math.floor(time) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** Returns the planned time at which each block begins, and at last the one at which the plan ends. */
export function planned(blocks: readonly Block[], start: number): number[] {
  const times = [start];
  for (const { minutes } of blocks) times.push(times.at(-1)! + minutes);
  return times;
}

/** Where a workshop is. */
export interface Now {
  /** The index of the block that is under way: -1 before the plan begins, and the number of blocks after its end. */
  at: number;
  /** Minutes behind the plan; negative if ahead. Null if nobody has said where the workshop is. */
  late: number | null;
}

/**
 * Returns where a workshop is at a time. A block that began late, or is longer than planned, makes it late. Until
 * somebody begins a block, the clock alone says which one should be under way.
 */
export function whereAt(blocks: readonly Block[], day: Day, now: number): Now {
  const times = planned(blocks, day.start);
  if (day.begun.length === 0) return { at: times.filter((time) => time <= now).length - 1, late: null };
  const at = day.begun.length - 1;
  const atBegin = day.begun[at]! - times[at]!;
  const behind = at === blocks.length ? atBegin : Math.max(atBegin, now - times[at + 1]!);
  return { at, late: Math.trunc(behind) };
}

/** "4 minutes late". */
export function lateWords(late: number): string {
  if (late === 0) return "on time";
  const minutes = Math.abs(late);
  return `${minutes} ${minutes === 1 ? "minute" : "minutes"} ${late > 0 ? "late" : "early"}`;
}

/** Notes that a block begins. Blocks before it that were not begun are passed over. */
export function begin(day: Day, at: number, now: Date): Day {
  const date = dateOf(now);
  const begun = day.date === date ? day.begun.slice(0, at) : [];
  while (begun.length <= at) begun.push(timeOf(now));
  return { ...day, date, begun };
}

export const timeOf = (now: Date): number => now.getHours() * 60 + now.getMinutes() + now.getSeconds() / 60;

function dateOf(now: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** The stored day of one plan. All pages of the plan share it. */
export class StoredDay {
  readonly #store: Store;
  readonly #name: string;
  readonly #start: number;

  /** start is the time at which the plan begins unless the instructor sets another. */
  constructor(store: Store, plan: string, start: number) {
    this.#store = store;
    this.#name = `plan/${plan}`;
    this.#start = start;
  }

  /** Returns the day, without parts that were begun on an earlier date. */
  load(now: Date): Day {
    const day = this.#store.load(this.#name, readDay) ?? { start: this.#start, date: "", begun: [] };
    return day.date === dateOf(now) ? day : { ...day, begun: [] };
  }

  save(day: Day): boolean {
    return this.#store.save(this.#name, day);
  }

  onElsewhere(changed: () => void): void {
    this.#store.onElsewhere(this.#name, readDay, changed);
  }
}

const MAX_BLOCKS = 200;
const isTime = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value < DAY_MINUTES;

function readDay(json: unknown): Day | null {
  if (!isFields(json) || !isTime(json["start"]) || typeof json["date"] !== "string") return null;
  const begun = json["begun"];
  if (!Array.isArray(begun) || begun.length > MAX_BLOCKS || !begun.every(isTime)) return null;
  return { start: json["start"], date: json["date"], begun };
}
