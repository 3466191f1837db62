// The state of an exercise in the browser's storage.

import { sameFiles, type Files } from "../files.ts";
import type { Measured } from "../go/exercise.ts";
import type { Verdict } from "../go/runner.ts";
import { isFields } from "../json.ts";
import { readVerdict } from "../responses.ts";

/** The part of the last check that is stored. */
export interface LastCheck {
  headline: string;
  /** The benchmarks of the last check that measured any. */
  benchmarks: Measured[];
  /** The time of the check, absent if it was not stored. */
  at?: string;
}

/** The reader's progress on an exercise. It never goes back. */
export interface Reached {
  hints: number;
  passed: boolean;
  /** The time of the first pass in the format of RFC 3339, absent if it was not stored. */
  passedAt?: string;
  /** Whether the solution was shown before the pass. Absent if it was not. */
  spoiled?: boolean;
}

/** Returns a pass in words. */
export const passedWords = ({ spoiled }: Reached): string => (spoiled ? "passed, after the solution" : "passed");

export interface Saved extends Reached {
  /** Hash of the starter that the reader began with. It is used only if files is present. */
  starter: string;
  /** The reader's text, absent as long as it equals the starter. */
  files?: Files;
  last?: LastCheck;
  /** Texts that other tabs have saved while this tab had a different one, so that none is lost. The newest is first. */
  asides?: Files[];
}

/** How many texts are kept aside. The oldest is dropped for one more. */
export const MAX_ASIDES = 8;

/**
 * Merges the texts aside in storage into this tab's. known is what this tab last read from storage or wrote there: what
 * storage has besides was put aside by other tabs, and what it lacks was forgotten there.
 */
export function mergeAsides(mine: readonly Files[], known: readonly Files[], stored: readonly Files[]): Files[] {
  const has = (list: readonly Files[], files: Files) => list.some((other) => sameFiles(other, files));
  const added = stored.filter((files) => !has(known, files) && !has(mine, files));
  const rest = mine.filter((files) => !has(known, files) || has(stored, files));
  return [...added, ...rest].slice(0, MAX_ASIDES);
}

/** A verdict that is stored for the next visit. */
export interface StoredVerdict {
  /** Hash of the files that were checked. */
  files: string;
  verdict: Verdict;
}

/** Returns the storage key of the verdict on an exercise. */
export const verdictName = (id: string): string => `${id}/verdict`;

/**
 * The largest JSON of a stored verdict, roughly in bytes. A usual verdict has 10 kB, and a browser gives a site 5 MB of
 * storage.
 */
const MAX_STORED = 40_000;
const MAX_OUTPUT = 8_000;

/**
 * Returns a verdict in the form in which it is stored, or null if it is too large. To make it smaller, the compiler's
 * report and the end of the log are left out.
 */
export function storedVerdict(files: string, verdict: Verdict): StoredVerdict | null {
  const { output } = verdict.tests;
  const short = output.length > MAX_OUTPUT ? `${output.slice(0, MAX_OUTPUT)}\n…` : output;
  const tests = { ...verdict.tests, output: short };
  for (const escapes of [verdict.escapes, []]) {
    const stored = { files, verdict: { ...verdict, tests, escapes } };
    if (JSON.stringify(stored).length <= MAX_STORED) return stored;
  }
  return null;
}

export function readStoredVerdict(json: unknown): StoredVerdict | null {
  if (!isFields(json) || typeof json["files"] !== "string") return null;
  const verdict = readVerdict(json["verdict"]);
  return verdict && { files: json["files"], verdict };
}

export function readSaved(json: unknown): Saved | null {
  if (!isFields(json) || typeof json["starter"] !== "string") return null;
  const saved: Saved = {
    starter: json["starter"],
    hints: isCount(json["hints"]) ? json["hints"] : 0,
    passed: json["passed"] === true,
  };
  if (saved.passed && isTime(json["passedAt"])) saved.passedAt = json["passedAt"];
  if (json["spoiled"] === true) saved.spoiled = true;
  if (isFiles(json["files"])) saved.files = json["files"];
  // Earlier pages stored one text at most, as "aside".
  const asides = [json["aside"], ...(Array.isArray(json["asides"]) ? json["asides"] : [])].filter(isFiles);
  if (asides.length > 0) saved.asides = asides.slice(0, MAX_ASIDES);
  const last = json["last"];
  if (isFields(last) && typeof last["headline"] === "string") {
    const benchmarks = Array.isArray(last["benchmarks"]) ? last["benchmarks"] : [];
    saved.last = {
      headline: last["headline"],
      benchmarks: benchmarks.filter(isMeasured),
      ...(isTime(last["at"]) ? { at: last["at"] } : {}),
    };
  }
  return saved;
}

/**
 * Merges the progress that another page or a file has: the earlier pass counts, with whether the solution was shown
 * before it, and shown hints stay shown.
 */
export function mergeReached(mine: Reached, other: Reached): void {
  mine.hints = Math.max(mine.hints, other.hints);
  const at = other.passedAt;
  const earlier = at !== undefined && (mine.passedAt === undefined || Date.parse(at) < Date.parse(mine.passedAt));
  const theirs = other.passed && (!mine.passed || earlier);
  const spoiled = theirs ? other.spoiled : mine.spoiled || (!mine.passed && other.spoiled);
  if (spoiled) mine.spoiled = true;
  else delete mine.spoiled;
  mine.passed ||= other.passed;
  if (earlier) mine.passedAt = at;
}

export function isMeasured(value: unknown): value is Measured {
  if (!isFields(value) || typeof value["name"] !== "string") return false;
  return isFigure(value["allocs_per_op"]) && isFigure(value["bytes_per_op"]);
}

const isFiles = (value: unknown): value is Files =>
  isFields(value) && Object.values(value).every((text) => typeof text === "string");

const isFigure = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const TIME = /^(\d{4}-\d{2}-)(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Reports whether a value is a time in the format of RFC 3339. Go's time package accepts each of them. */
export function isTime(value: unknown): value is string {
  const parts = TIME.exec(String(value));
  if (typeof value !== "string" || !parts) return false;
  // Some browsers read February 30 as March 2.
  const month = Date.parse(`${parts[1]}01T00:00:00Z`);
  return new Date(month + (Number(parts[2]) - 1) * 24 * 60 * 60 * 1000).getUTCMonth() === new Date(month).getUTCMonth();
}
