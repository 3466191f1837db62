// Turns a verdict into the editor's marks. The marks of errors are in ../errors.ts.

import type { FileMarks, LineMark } from "../code-editor.ts";
import { errorMarks } from "../errors.ts";
import { byLine, grouped } from "../grouped.ts";
import type { Allocation, Problem, Verdict } from "../go/runner.ts";
import { failures } from "./failures.ts";
import { traces } from "./traces.ts";
import { lineView, lineWords } from "./view.ts";
import { count } from "./words.ts";

/**
 * The marks for each of the named files, and for the files of the tests. Errors elsewhere stay in the list beside the
 * code.
 */
export function marksOf(
  v: Verdict,
  names: readonly string[],
  tests: readonly string[] = [],
): Record<string, FileMarks> {
  const marks: Record<string, FileMarks> = {};
  const log = v.stage === "tests" ? v.tests.output : "";
  const found = [
    ...v.errors,
    ...stops(v, names),
    ...failures(log).map(({ file, line, message }) => ({ file, line, col: 0, message })),
  ];
  for (const name of [...names, ...tests]) {
    const lines = allocationMarks(v.allocations.filter((a) => a.file === name));
    const errors = found.filter((e) => e.file === name).map(({ line, col, message }) => ({ line, col, message }));
    lines.push(...errorMarks(errors));
    marks[name] = { lines, errors: errors.filter((e) => e.line > 0) };
  }
  return marks;
}

/**
 * Returns the lines of the named files at which the tests were when they panicked, or when the runtime ended them. A
 * deadlock prints a stack for each goroutine, so the lines that matter are lost in its output.
 */
export function stops(v: Verdict, names: readonly string[]): Problem[] {
  if (v.stage !== "tests") return [];
  const found = traces(v.tests.output, (file) => names.includes(file)).map((t) => ({ ...t, col: 0 }));
  return [...grouped(found, (t) => `${t.file}:${t.line}`).values()].map(([first]) => first!);
}

/** Returns the marks of one file's lines that allocate. */
export function allocationMarks(allocations: readonly Allocation[]): LineMark[] {
  return [...byLine(allocations)].map(([line, here]) => ({
    line,
    kind: "alloc",
    label: `${count(perOp(here))}×`,
    name: lineWords(line, here),
    describe: () => lineView(here),
  }));
}

/** Returns the allocations of a line per operation, in the benchmark in which it has most. */
function perOp(here: readonly Allocation[]): number {
  const sums = new Map<string, number>();
  for (const a of here) sums.set(a.benchmark, (sums.get(a.benchmark) ?? 0) + a.allocs_per_op);
  return Math.max(...sums.values());
}
