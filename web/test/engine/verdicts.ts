// Verdicts of all exercises by the command line, and what of a verdict has to be the same wherever it is made.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Verdict } from "../../src/go/runner.ts";
import { root } from "../e2e/site.ts";

const run = promisify(execFile);

export type Files = "starter" | "solution";

/** What must not depend on where a program is built and run. Times do, and so do the numbers of lines outside the package. */
export function essence(v: Verdict): unknown {
  return {
    exercise: v.exercise,
    pass: v.pass,
    stage: v.stage,
    tests: [v.tests.run, v.tests.failed],
    benchmarks: v.benchmarks.map((b) => [b.name, b.allocs_per_op, b.bytes_per_op, b.pass]),
    allocations: v.allocations.map((a) => [
      a.file, a.line, a.allocs_per_op, a.bytes_per_op, a.reasons.map((r) => [r.line, r.col, r.message, r.flow.map((step) => [step.line, step.message])]),
    ]),
  };
}

/** The command line's verdicts on all exercises, by their number. "make test" and "make proof" keep them, and they are the same. */
export async function verdictsOf(files: Files, engine: "native" | "wasm"): Promise<Verdict[]> {
  const keep = join(root, ".cache/results");
  const told = await run("go", ["run", "./tools/checkalloc", "dev", "verdicts", files, "--engine", engine, "--keep", keep], {
    cwd: root,
    maxBuffer: 64 << 20,
  });
  return told.stdout.trim().split("\n").map((line) => JSON.parse(line) as Verdict);
}
