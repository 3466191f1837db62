// Verdicts of all exercises by the command line, and what of a verdict has to be the same wherever it is made.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Verdict } from "../../src/verdict/schema.ts";
import { root } from "../e2e/site.ts";
import type { Exercise } from "../e2e/workbook.ts";

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

/** The command line, in a workspace of the test's own. */
export class CommandLine {
  private constructor(
    private readonly binary: string,
    private readonly dir: string,
  ) {}

  static async make(): Promise<CommandLine> {
    const dir = await mkdtemp(join(tmpdir(), "onthestack-verdicts-"));
    const binary = join(dir, "checkalloc");
    await run("go", ["build", "-o", binary, "./tools/checkalloc"], { cwd: root });
    await run(binary, ["init", join(dir, "work")]);
    return new CommandLine(binary, join(dir, "work"));
  }

  /** The verdicts on all exercises, in their order. */
  async verdicts(exercises: Exercise[], files: Files, engine: "native" | "wasm"): Promise<Verdict[]> {
    for (const exercise of exercises) {
      for (const [name, text] of Object.entries(exercise[files])) await writeFile(join(this.dir, "exercises", exercise.id, name), text);
    }
    const told = await run(this.binary, ["all", "--json", "--engine", engine], { cwd: this.dir, maxBuffer: 64 << 20 }).catch(
      // "Not yet" is exit code 1.
      (e: { code: number; stdout: string }) => {
        if (e.code !== 1) throw e;
        return e;
      },
    );
    return told.stdout.trim().split("\n").map((line) => JSON.parse(line) as Verdict);
  }

  remove(): Promise<void> {
    return rm(join(this.dir, ".."), { recursive: true });
  }
}
