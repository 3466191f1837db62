// The data block of an exercise, as tools/bookalloc writes it.

import { isFields } from "../verdict/schema.ts";
import type { Benchmark } from "../verdict/schema.ts";
import type { Measured } from "../verdict/words.ts";

export interface Target {
  name: string;
  allocs: number;
  bytes?: number;
}

export interface Next {
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
  next: Next | null;
}

/** Reads the block, or null when it is not an exercise's. */
export function readExercise(json: unknown): ExerciseData | null {
  if (!isFields(json) || typeof json["exercise"] !== "string" || !isFields(json["files"])) return null;
  const files = Object.entries(json["files"]).filter((f): f is [string, string] => typeof f[1] === "string");
  const first = files[0];
  if (!first) return null;
  const named = json["file"];
  const next = json["next"];
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
    next:
      isFields(next) && typeof next["href"] === "string"
        ? { exercise: String(next["exercise"] ?? ""), title: String(next["title"] || next["exercise"]), href: next["href"] }
        : null,
  };
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The starter's figures beside their targets, in a benchmark's shape. */
export function starterBenchmarks(data: ExerciseData): Benchmark[] {
  return data.targets.flatMap((t) => {
    const s = data.starter.find((m) => m.name === t.name);
    if (!s) return [];
    return {
      name: t.name,
      n: 0,
      ns_per_op: 0,
      allocs_per_op: s.allocs_per_op,
      bytes_per_op: s.bytes_per_op,
      target_allocs: t.allocs,
      ...(t.bytes === undefined ? {} : { target_bytes: t.bytes }),
      pass: s.allocs_per_op <= t.allocs && (t.bytes === undefined || s.bytes_per_op <= t.bytes),
    };
  });
}
