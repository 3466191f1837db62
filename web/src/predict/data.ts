// The data block of a prediction, as tools/bookalloc writes it, and what is remembered of one.

import { isFields } from "../verdict/schema.ts";

/** What a listing measured on one release. */
export interface Figure {
  /** "go1.26.8" */
  go: string;
  /** "linux/amd64" */
  platform: string;
  allocs_per_op: number;
  bytes_per_op: number;
}

export interface Question {
  listing: string;
  benchmark: string;
  /** What makes the allocations, in a few words. */
  title: string;
  now: Figure;
  /** On the release of the article, where the article measured the same. */
  then: Figure | null;
}

/** Reads the block, or null when it is not a prediction's. */
export function readQuestion(json: unknown): Question | null {
  if (!isFields(json)) return null;
  const { listing, benchmark, title } = json;
  const now = readFigure(json["now"]);
  if (typeof listing !== "string" || typeof benchmark !== "string" || typeof title !== "string" || !now) return null;
  return { listing, benchmark, title, now, then: readFigure(json["then"]) };
}

/** A reader's answer. */
export interface Prediction {
  /** Null: the reader looked without predicting. */
  allocs: number | null;
  /** What was measured then. Another release's figure does not rewrite it. */
  measured: Figure;
}

export function readPrediction(json: unknown): Prediction | null {
  if (!isFields(json)) return null;
  const allocs = json["allocs"];
  const measured = readFigure(json["measured"]);
  if (!measured || (allocs !== null && !isAllocs(allocs))) return null;
  return { allocs, measured };
}

function readFigure(json: unknown): Figure | null {
  if (!isFields(json)) return null;
  const { go, platform, allocs_per_op, bytes_per_op } = json;
  if (typeof go !== "string" || typeof allocs_per_op !== "number" || typeof bytes_per_op !== "number") return null;
  return { go, platform: typeof platform === "string" ? platform : "", allocs_per_op, bytes_per_op };
}

export const MOST = 999;

function isAllocs(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST;
}

/** What a reader typed as a number of allocations, or null when it is none that can be committed. */
export function readAllocs(typed: string): number | null {
  const text = typed.trim();
  const n = /^\d{1,3}$/.test(text) ? Number(text) : null;
  return isAllocs(n) ? n : null;
}
