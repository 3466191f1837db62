// The data block of an exercise, as tools/bookalloc writes it.

import { isFields } from "../verdict/schema.ts";
import type { Measured } from "../verdict/words.ts";

export interface Target {
  name: string;
  allocs: number;
  bytes?: number;
}

/** An exercise of the workbook, and the address of its page. */
export interface Listed {
  exercise: string;
  title: string;
  href: string;
}

export interface ExerciseData {
  exercise: string;
  title: string;
  /** The file to show first. */
  file: string;
  /** The starter's editable files. */
  files: Record<string, string>;
  hints: string[];
  targets: Target[];
  starter: Measured[];
  /** The function, or Type.Method, that the editor opens at; "" for the beginning. */
  function: string;
  /** What it teaches, for a reader who has passed. */
  teaches: string;
  /** The workbook's exercises in order. */
  all: Listed[];
  /** The files that are shown beside those to edit, and their URL relative to the book's folder. */
  tests: { href: string; files: string[] };
  /** The solution's URL relative to the book's folder; "" if there is none. */
  solution: string;
}

/** Reads the block, or null when it is not an exercise's. */
export function readExercise(json: unknown): ExerciseData | null {
  if (!isFields(json) || typeof json["exercise"] !== "string" || !isFields(json["files"])) return null;
  const files = Object.entries(json["files"]).filter((f): f is [string, string] => typeof f[1] === "string");
  const first = files[0];
  if (!first) return null;
  const named = json["file"];
  const tests = isFields(json["tests"]) ? json["tests"] : {};
  return {
    exercise: json["exercise"],
    title: String(json["title"] ?? ""),
    file: typeof named === "string" && files.some(([name]) => name === named) ? named : first[0],
    files: Object.fromEntries(files),
    hints: items(json["hints"]).filter((h) => typeof h === "string"),
    targets: items(json["targets"]).filter(isFields).map((t) => ({
      name: String(t["name"]),
      allocs: Number(t["allocs"]),
      ...(typeof t["bytes"] === "number" ? { bytes: t["bytes"] } : {}),
    })),
    starter: items(json["starter"]).filter(isFields).map((s) => ({
      name: String(s["name"]),
      allocs_per_op: Number(s["allocs_per_op"]),
      bytes_per_op: Number(s["bytes_per_op"]),
    })),
    function: String(json["function"] ?? ""),
    teaches: String(json["teaches"] ?? ""),
    all: items(json["all"]).filter(isFields).map((e) => ({
      exercise: String(e["exercise"]),
      title: String(e["title"] || e["exercise"]),
      href: String(e["href"]),
    })),
    tests: { href: String(tests["href"] ?? ""), files: items(tests["files"]).filter((f) => typeof f === "string") },
    solution: String(json["solution"] ?? ""),
  };
}

/** Returns the next exercise that has not passed, continuing at the first one after the last; null if all others have passed. */
export function nextUnsolved(all: readonly Listed[], id: string, passed: (id: string) => boolean): Listed | null {
  const at = all.findIndex((e) => e.exercise === id);
  return [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find((e) => !passed(e.exercise)) ?? null;
}

/**
 * Returns the line, from 1, at which a function's comment begins, or the function itself if it has no comment; 0 if the text does not
 * declare it. A method is named with its type: "Board.Read".
 */
export function functionLine(text: string, name: string): number {
  if (!/^\w+(\.\w+)?$/.test(name)) return 0;
  const [method, type] = name.split(".").reverse();
  const receiver = type === undefined ? "" : `\\(\\w*\\s*\\*?${type}(\\[[^\\]]*\\])?\\)\\s*`;
  const declaration = new RegExp(`^func\\s+${receiver}${method}\\s*[(\\[]`);
  const lines = text.split("\n");
  let at = lines.findIndex((line) => declaration.test(line));
  if (at < 0) return 0;
  while (at > 0 && lines[at - 1]!.startsWith("//")) at--;
  return at + 1;
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
