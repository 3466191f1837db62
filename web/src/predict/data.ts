// The data block of a prediction, as tools/bookalloc writes it, and the stored form of the reader's prediction.

import { Figure, Question } from "../go/book.ts";
import { isFields, read } from "../json.ts";

/** Reads the block; null if it is not a prediction's. */
export function readQuestion(json: unknown): Question | null {
  const question = read(Question, json, "listing", "benchmark", "title", "now");
  if (!question || !isFields(json) || !readFigure(json["now"])) return null;
  if (!readFigure(json["then"])) delete question.then;
  return question;
}

/** A reader's answer, as it is stored. */
export interface Prediction {
  /** Null if the reader looked at the figures without predicting. */
  allocs: number | null;
  /** Absent if the question did not ask for B/op. */
  bytes?: number;
  /** The figure of the release that the book measured with at that time. Later releases do not change it. */
  measured: Figure;
  /** Where it was asked, from the book's folder: "memory-profiling/profile.html#predict-…". */
  asked?: { page: string; title: string };
  /** Whether it was asked again because it was wrong. */
  again?: true;
}

export function readPrediction(json: unknown): Prediction | null {
  if (!isFields(json)) return null;
  const allocs = json["allocs"];
  const bytes = json["bytes"];
  const measured = readFigure(json["measured"]);
  if (!measured || (allocs !== null && !isUpTo(MAX_ALLOCS, allocs))) return null;
  const asked = readAsked(json["asked"]);
  return {
    allocs,
    ...(isUpTo(MAX_BYTES, bytes) ? { bytes } : {}),
    measured,
    ...(asked ? { asked } : {}),
    ...(json["again"] === true ? { again: true } : {}),
  };
}

function readAsked(json: unknown): { page: string; title: string } | null {
  if (!isFields(json)) return null;
  const { page, title } = json;
  return typeof page === "string" && typeof title === "string" ? { page, title } : null;
}

function readFigure(json: unknown): Figure | null {
  return read(Figure, json, "go", "allocs_per_op", "bytes_per_op");
}

/** The largest number of allocations, and of bytes, that can be predicted. */
export const MAX_ALLOCS = 999;
export const MAX_BYTES = 99_999;

function isUpTo(max: number, value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}

/** Parses the number that a reader typed; null if it is not a whole number from 0 to most. */
export function readNumber(typed: string, max: number): number | null {
  const text = typed.trim();
  const n = /^\d{1,5}$/.test(text) ? Number(text) : null;
  return isUpTo(max, n) ? n : null;
}
