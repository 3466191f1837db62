import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { functionLine, nextUnsolved, readExercise } from "../../src/exercise/data.ts";
import type { ProgramRun } from "../../src/go/runner.ts";
import { readFormatted, readRefusal, readReport, readRun, readVerdict, readVersion } from "../../src/responses.ts";
import { headline } from "../../src/verdict/words.ts";
import { EXERCISE, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

test("a verdict is read as it was written", () => {
  assert.deepEqual(readVerdict(JSON.parse(JSON.stringify(TWO_ALLOCATIONS))), TWO_ALLOCATIONS);
});

test("every field of the verdicts that Go wrote into book/measured and into a page is read", async () => {
  const folder = join(process.env["OTS_ROOT"]!, "book/measured");
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\/listings\/\w+\.json$/.test(name));
  assert.ok(names.length > 20, `${names.length} measurements`);
  for (const name of names) {
    const { verdict } = JSON.parse(await readFile(join(folder, name), "utf8"));
    assertHolds(readVerdict(verdict), verdict, name);
  }
  // A page also has what the compiler says, which book/measured has as text.
  const page = join(process.env["OTS_ROOT"]!, "tools/bookalloc/expand/testdata/first-figures.md");
  const verdict = JSON.parse(/class="ots-data">(.*)<\/script>/.exec(await readFile(page, "utf8"))![1]!);
  assert.ok(verdict.escapes[1].flow.length > 1, page);
  assertHolds(readVerdict(verdict), verdict, page);
});

/** Fails unless a value has everything that the JSON has. It may have more, because Go omits some zero values. */
function assertHolds(value: unknown, json: unknown, at: string): void {
  if (json === null) return assert.deepEqual(value, [], at);
  if (typeof json !== "object") return assert.equal(value, json, at);
  assert.ok(typeof value === "object" && value !== null, at);
  if (Array.isArray(json)) assert.equal((value as unknown[]).length, json.length, at);
  for (const [key, inside] of Object.entries(json))
    assertHolds((value as Record<string, unknown>)[key], inside, `${at}.${key}`);
}

test("a malformed verdict is read without its missing fields and fields of another type", () => {
  const { title: _, ...untitled } = TWO_ALLOCATIONS;
  const benchmark = TWO_ALLOCATIONS.benchmarks[0]!;
  const { target_allocs: __, ...untargeted } = benchmark;
  const read = readVerdict({
    ...untitled,
    pass: "true",
    tests: "6 of 6",
    benchmarks: [{ ...benchmark, target_allocs: "1", allocs_per_op: null, cost: 3 }, "fast"],
    allocations: { line: 1 },
    set_aside: ["a_test.go", 7],
    mood: "good",
  });
  assert.deepEqual(read, {
    ...TWO_ALLOCATIONS,
    title: "",
    pass: false,
    tests: { run: 0, failed: 0, output: "", race: "", race_why: "", incomplete: false },
    benchmarks: [{ ...untargeted, allocs_per_op: 0 }],
    allocations: [],
    set_aside: ["a_test.go"],
  });
});

test("a response without the field that identifies its kind is refused", () => {
  for (const json of [{}, { Errors: 3 }, { Error: "x" }, null, [], "ok"]) {
    assert.equal(readRun(json), null);
    assert.equal(readFormatted(json), null);
    assert.equal(readReport(json), null);
    assert.equal(readVersion(json), null);
    assert.equal(readRefusal(json), null);
  }
  assert.equal(readReport({ escapes: null, errors: "" }), null);
  assert.equal(readReport({ escapes: [], errors: null }), null);
  assert.equal(readFormatted({ Body: null, Error: "" }), null);
  assert.equal(readRefusal({ error: 404 }), null);
});

test("a run is read although fields are missing or of another type", () => {
  const run: ProgramRun = {
    errors: "",
    vetErrors: "",
    vetOK: false,
    events: [],
    status: 0,
    isTest: false,
    testsFailed: 0,
  };
  assert.deepEqual(readRun({ Errors: "", Events: null }), run);
  const events = [null, { Message: "x", Kind: "stdin", Delay: "1" }];
  const wrong = { Errors: "", Events: events, Status: "0", IsTest: 1, TestsFailed: null, VetErrors: [], New: true };
  assert.deepEqual(readRun(wrong), { ...run, events: [{ message: "x", kind: "stdout", delay: 0 }] });
});

test("a pass says why it is provisional", () => {
  const why = "the tests did not run with -race";
  const { provisional, ...certain } = readVerdict({ ...TWO_ALLOCATIONS, pass: true, stage: "", provisional: why })!;
  assert.equal(provisional, why);
  assert.equal(headline({ ...certain, provisional }), "Passed, provisionally");
  assert.equal(headline(readVerdict({ ...certain })!), "Passed");
});

test("tests that did not finish are not counted, and a stored verdict may lack the field that says so", () => {
  const tests = { run: 3, failed: 3, output: "the tests did not come to an end: the program ran longer than 8s\n" };
  const stopped = (more: object) => readVerdict({ ...TWO_ALLOCATIONS, stage: "tests", tests: { ...tests, ...more } })!;
  assert.equal(headline(stopped({ incomplete: true })), "The tests did not finish");
  assert.equal(headline(stopped({ incomplete: false })), "3 of 3 tests fail");
  assert.equal(headline(stopped({})), "3 of 3 tests fail");
});

test("null and absent lists are empty", () => {
  const v = readVerdict({ ...TWO_ALLOCATIONS, errors: null, set_aside: undefined, tests: null });
  assert.deepEqual(v?.errors, []);
  assert.deepEqual(v?.set_aside, []);
  assert.deepEqual(v?.tests, { run: 0, failed: 0, output: "", race: "", race_why: "", incomplete: false });
});

test("JSON that is not a verdict is refused", () => {
  for (const json of [
    null,
    [],
    "ok",
    {},
    { ...TWO_ALLOCATIONS, schema: "checkalloc/verdict/2" },
    { ...TWO_ALLOCATIONS, stage: "lunch" },
  ]) {
    assert.equal(readVerdict(json), null);
  }
});

test("an exercise's block", () => {
  const data = readExercise(EXERCISE)!;
  assert.equal(data.file, "stream.go");
  assert.deepEqual(data.all, EXERCISE.all);
  assert.deepEqual(data.tests, EXERCISE.tests);
  assert.deepEqual(readExercise({ ...EXERCISE, all: null, tests: 3 })?.tests, { href: "", files: [] });
  assert.equal(readExercise({ ...EXERCISE, file: "gone.go" })?.file, "stream.go");
  assert.equal(readExercise({ ...EXERCISE, files: {} }), null);
});

test("next is the first exercise that has not passed, but not this one, as for checkalloc", async () => {
  const all = ["exercise6", "exercise7", "exercise40"].map((exercise) => ({
    exercise,
    title: exercise,
    href: `#${exercise}`,
  }));
  const next = (id: string, ...passed: string[]) =>
    nextUnsolved(all, id, (other) => passed.includes(other))?.exercise ?? null;
  // TestAfter of internal/workspace reads the same file.
  const cases = await readFile(`${process.env["OTS_ROOT"]}internal/workspace/testdata/next.json`, "utf8");
  for (const { exercise, passed, next: want } of JSON.parse(cases))
    assert.equal(next(exercise, ...passed) ?? "", want, `${exercise} after ${passed}`);
  assert.equal(next("exercise14"), "exercise6", "an exercise that is not listed");
});

test("the editor opens at a function's comment", () => {
  const text =
    "package p\n\n// F.\n// More.\nfunc F() {}\n\nfunc (t *T) F() {}\n\nfunc (Set[E]) F() {}\n\n// G.\n" +
    "func G[E any](e E) {}\n";
  const at = (name: string) => functionLine(text, name);
  assert.deepEqual(["F", "T.F", "Set.F", "G", "H", "H.F", "", ".*"].map(at), [3, 7, 9, 11, 0, 0, 0, 0]);
});
