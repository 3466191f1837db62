// What is remembered of an exercise.

import type { Files } from "../files.ts";
import { isFields } from "../verdict/schema.ts";
import type { Measured } from "../verdict/words.ts";

/** The last check, as far as it is worth remembering. */
export interface LastCheck {
  headline: string;
  pass: boolean;
  /** Of the last check that measured any. */
  benchmarks: Measured[];
}

export interface Saved {
  /** Hash of the starter that the reader began with. */
  starter: string;
  /** The reader's text; absent while it is the starter's. */
  files?: Files;
  hints: number;
  passed: boolean;
  last?: LastCheck;
}

export function readSaved(json: unknown): Saved | null {
  if (!isFields(json) || typeof json["starter"] !== "string") return null;
  const saved: Saved = {
    starter: json["starter"],
    hints: typeof json["hints"] === "number" ? Math.max(0, Math.floor(json["hints"])) : 0,
    passed: json["passed"] === true,
  };
  const files = json["files"];
  if (isFields(files) && Object.values(files).every((f) => typeof f === "string")) {
    saved.files = files as Files;
  }
  const last = json["last"];
  if (isFields(last) && typeof last["headline"] === "string") {
    const benchmarks = Array.isArray(last["benchmarks"]) ? last["benchmarks"] : [];
    saved.last = { headline: last["headline"], pass: last["pass"] === true, benchmarks: benchmarks.filter(isMeasured) };
  }
  return saved;
}

function isMeasured(value: unknown): value is Measured {
  return (
    isFields(value) &&
    typeof value["name"] === "string" &&
    typeof value["allocs_per_op"] === "number" &&
    typeof value["bytes_per_op"] === "number"
  );
}
