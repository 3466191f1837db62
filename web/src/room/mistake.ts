// Recognizes a likely mistake in what a participant has checked.

import type { Files } from "../files.ts";
import type { AppliedMistake, Measured } from "../go/exercise.ts";
import type { Benchmark, Verdict } from "../go/runner.ts";
import { count, size } from "../verdict/words.ts";

/**
 * Returns the name of the mistake that the files or the figures match; "" if none or several do. Figures say nothing if
 * the starter has the same. A check that fails before the benchmark, or in one that confirms a pass, can fail for too
 * many reasons, so there only the text counts.
 */
export function mistakeOf(
  verdict: Verdict,
  files: Files,
  mistakes: readonly AppliedMistake[],
  starter: readonly Measured[],
): string {
  if (verdict.pass) return "";
  const text = textOf(files);
  const same = mistakes.find((mistake) => textOf(mistake.files) === text);
  if (same) return same.name;
  if (verdict.stage !== "benchmark") return "";
  if (verdict.benchmarks.some((b) => b.confirms !== "")) return "";
  const figures = figuresOf(verdict.benchmarks);
  if (figures === figuresOf(starter)) return "";
  const alike = mistakes.filter(
    ({ benchmarks }) =>
      benchmarks.length > 0 && figures === listed(benchmarks.map(({ name, allocs, bytes }) => [name, allocs, bytes])),
  );
  return alike.length === 1 ? alike[0]!.name : "";
}

/** Returns the text without white space, which says nothing about a mistake. */
const textOf = (files: Files): string =>
  JSON.stringify(
    Object.keys(files)
      .sort()
      .map((name) => [name, files[name]!.replace(/\s+/g, "")]),
  );

/** Returns the figures as they are shown to a reader, by the benchmark's name. */
const figuresOf = (benchmarks: readonly (Benchmark | Measured)[]): string =>
  listed(benchmarks.map(({ name, allocs_per_op, bytes_per_op }) => [name, count(allocs_per_op), size(bytes_per_op)]));

const listed = (rows: string[][]): string => JSON.stringify(rows.sort((a, b) => (a[0]! < b[0]! ? -1 : 1)));
