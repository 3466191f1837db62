import assert from "node:assert/strict";
import { test } from "node:test";
import { readExercise, starterBenchmarks } from "../../src/exercise/data.ts";
import { readVerdict } from "../../src/verdict/schema.ts";
import { EXERCISE, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

test("a verdict is read as it was written", () => {
  assert.deepEqual(readVerdict(JSON.parse(JSON.stringify(TWO_ALLOCATIONS))), TWO_ALLOCATIONS);
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
  assert.deepEqual(data.next, EXERCISE.next);
  assert.deepEqual(
    starterBenchmarks(data).map((b) => [b.allocs_per_op, b.target_allocs, b.target_bytes, b.pass]),
    [[2, 1, 64, false]],
  );
  assert.equal(readExercise({ ...EXERCISE, next: null })?.next, null);
  assert.equal(readExercise({ ...EXERCISE, file: "gone.go" })?.file, "stream.go");
  assert.equal(readExercise({ ...EXERCISE, files: {} }), null);
});
