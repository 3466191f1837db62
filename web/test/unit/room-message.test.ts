import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWords } from "../../src/room/checked-code.ts";
import type { Exercises, KnownExercise } from "../../src/room/data.ts";
import { CheckedCode } from "../../src/go/room.ts";
import { read } from "../../src/json.ts";
import { countdown } from "../../src/room/countdown.ts";
import { countdownWords } from "../../src/room/message.ts";
import { sharedWords } from "../../src/room/shared-line.ts";

test("a countdown has minutes and seconds, and ends at zero", () => {
  const left = [[300_000, "05:00"], [299_999, "05:00"], [299_000, "04:59"], [7_200_000, "120:00"]] as const;
  for (const [ms, words] of [...left, [1, "00:01"], [0, "00:00"], [-5_000, "00:00"]] as const)
    assert.equal(countdown(ms), words);
});

test("the countdown of a message says what it counts", () => {
  assert.equal(countdownWords(299_000), "04:59 left");
  assert.equal(countdownWords(0), "time is up");
});

test("a check is told by its stage and its figures", () => {
  const exercises = { get: (id: string) => ({ zero: id === "zero" }) as KnownExercise } as Exercises;
  const words = (check: object) => checkWords(read(CheckedCode, { exercise: "e", ...check })!, exercises);
  assert.equal(words({ stage: "tests" }), "This code fails a test, as the page reported.");
  assert.equal(words({ stage: "build", allocs: 2 }), "This code does not compile, as the page reported.");
  const over = words({ stage: "benchmark", allocs: 2, target: 1 });
  assert.equal(over, "This code is over its target, as the page reported: 2 allocs/op, target 1.");
  assert.equal(words({ allocs: 1, target: 1 }), "This code passes, as the page reported: 1 alloc/op, target 1.");
  assert.equal(words({ exercise: "zero" }), "This code passes, as the page reported: 0 allocs/op, target 0.");
});

test("an attempt that does not pass is no solution", () => {
  const shared = (passed: boolean) => ({ id: "s1", exercise: "e", passed });
  assert.equal(sharedWords([]), "");
  assert.equal(sharedWords([shared(false)]), "The instructor has shared an attempt that does not pass.");
  assert.equal(sharedWords([shared(false), shared(true)]), "The instructor has shared a solution.");
});
