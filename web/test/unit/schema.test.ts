import assert from "node:assert/strict";
import { test } from "node:test";
import { functionLine, nextUnsolved, readExercise } from "../../src/exercise/data.ts";
import { readVerdict } from "../../src/verdict/schema.ts";
import { headline } from "../../src/verdict/words.ts";
import { EXERCISE, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

test("a verdict is read as it was written", () => {
  assert.deepEqual(readVerdict(JSON.parse(JSON.stringify(TWO_ALLOCATIONS))), TWO_ALLOCATIONS);
});

test("a pass says why it is provisional", () => {
  const why = "the tests did not run with -race";
  const { provisional, ...certain } = readVerdict({ ...TWO_ALLOCATIONS, pass: true, stage: "", provisional: why })!;
  assert.equal(provisional, why);
  assert.equal(headline({ ...certain, provisional }), "Passed, provisionally");
  assert.equal(headline(readVerdict({ ...certain })!), "Passed");
});

test("null and absent lists are empty", () => {
  const v = readVerdict({ ...TWO_ALLOCATIONS, errors: null, set_aside: undefined, tests: null });
  assert.deepEqual(v?.errors, []);
  assert.deepEqual(v?.set_aside, []);
  assert.deepEqual(v?.tests, { run: 0, failed: 0, output: "", race: "" });
});

test("what is no verdict is refused", () => {
  for (const json of [null, [], "ok", {}, { ...TWO_ALLOCATIONS, schema: "checkalloc/verdict/2" }, { ...TWO_ALLOCATIONS, stage: "lunch" }]) {
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

test("next is the first exercise after this one that has not passed, and after the last the first of all", () => {
  const all = ["exercise1", "exercise2", "exercise3"].map((exercise) => ({ exercise, title: exercise, href: `#${exercise}` }));
  const next = (id: string, ...passed: string[]) => nextUnsolved(all, id, (other) => passed.includes(other))?.exercise ?? null;
  assert.equal(next("exercise1", "exercise1"), "exercise2");
  assert.equal(next("exercise1", "exercise1", "exercise2"), "exercise3");
  assert.equal(next("exercise3", "exercise3", "exercise1"), "exercise2");
  assert.equal(next("exercise2", "exercise1", "exercise2", "exercise3"), null);
  assert.equal(next("exercise9"), "exercise1", "an exercise that is not listed");
});

test("the editor opens at a function's comment", () => {
  const text = "package p\n\n// F.\n// More.\nfunc F() {}\n\nfunc (t *T) F() {}\n\nfunc (Set[E]) F() {}\n\n// G.\nfunc G[E any](e E) {}\n";
  const at = (name: string) => functionLine(text, name);
  assert.deepEqual(["F", "T.F", "Set.F", "G", "H", "H.F", "", ".*"].map(at), [3, 7, 9, 11, 0, 0, 0, 0]);
});
