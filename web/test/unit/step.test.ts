import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Steps } from "../../src/go/step.ts";
import { read } from "../../src/json.ts";
import { stepOver } from "../../src/step/step-over.ts";
import { STEPS } from "../stand-in/steps.ts";

test("a document is read with all that its values contain", () => {
  const steps = read(Steps, STEPS, "schema", "steps");
  assert.ok(steps);
  assert.equal(steps.steps.length, STEPS.steps.length);
  const kinds = new Set<string>();
  const visit = (json: unknown): void => {
    if (Array.isArray(json)) json.forEach(visit);
    if (typeof json !== "object" || json === null) return;
    const { kind } = json as { kind?: unknown };
    if (typeof kind === "string") kinds.add(kind);
    Object.values(json).forEach(visit);
  };
  visit(steps.steps);
  for (const kind of ["basic", "pointer", "slice", "map", "interface", "struct", "array", "entries", "closure"])
    assert.ok(kinds.has(kind), kind);
});

test("stepping over a call ends in the frame that made it", () => {
  const steps = read(Steps, STEPS, "schema", "steps")!;
  const call = steps.steps.findIndex((step) => step.event === "call" && step.stack.length === 2) - 1;
  const next = stepOver(steps, call);
  assert.ok(next > call + 2, "the call has steps of its own");
  assert.equal(steps.steps[next]!.stack.length, 1);
  assert.equal(stepOver(steps, steps.steps.length - 1), steps.steps.length - 1);
});

test("the script and the style of the page of checkalloc step equal the built ones", async () => {
  const { buildStepPage, STEP_PAGE } = (await import(
    pathToFileURL(join(process.env["OTS_ROOT"]!, "web/build.mjs")).href
  )) as { buildStepPage: (outdir: string) => Promise<void>; STEP_PAGE: string };
  const built = await mkdtemp(join(tmpdir(), "step-page-"));
  try {
    await buildStepPage(built);
    for (const name of ["steps.js", "steps.css"]) {
      const same = (await readFile(join(built, name), "utf8")) === (await readFile(join(STEP_PAGE, name), "utf8"));
      assert.ok(same, `internal/present/html/${name} is not what is built: run "make generate"`);
    }
  } finally {
    await rm(built, { recursive: true });
  }
});
