// The command line's verdicts on all exercises, and the part of a verdict that must be the same on every engine.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Verdict } from "../../src/go/runner.ts";
import { cache } from "../e2e/runner.ts";
import { root } from "../e2e/site.ts";

const run = promisify(execFile);

export type Files = "starter" | "solution";

/**
 * Returns the part of a verdict that must not depend on where a program is built and run. Times depend on it, and so do
 * line numbers outside the package.
 */
export function essence(v: Verdict): unknown {
  return {
    exercise: v.exercise,
    pass: v.pass,
    stage: v.stage,
    tests: [v.tests.run, v.tests.failed],
    benchmarks: v.benchmarks.map((b) => [b.name, b.allocs_per_op, b.bytes_per_op, b.pass]),
    allocations: v.allocations.map((a) => [
      a.file,
      a.line,
      a.allocs_per_op,
      a.bytes_per_op,
      a.reasons.map((r) => [r.line, r.col, r.message, r.flow.map((step) => [step.line, step.message])]),
    ]),
  };
}

/**
 * Returns the command line's verdicts on all exercises, by number, of programs that run natively. "make test" and
 * "make proof" cache them, because they are deterministic.
 */
export async function verdictsOf(files: Files): Promise<Verdict[]> {
  const keep = join(cache, "results");
  const told = await run(
    "go",
    ["run", "-trimpath", "./tools/checkalloc", "dev", "verdicts", files, "--keep", keep],
    {
      cwd: root,
      maxBuffer: 64 << 20,
    },
  );
  const number = ({ exercise }: Verdict) => Number(exercise.replace("exercise", ""));
  return told.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Verdict)
    .sort((a, b) => number(a) - number(b));
}
