import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProgramRun, RunEvent } from "../../src/go/runner.ts";
import { ending } from "../../src/program/ending.ts";
import { append, schedule, type Segment } from "../../src/program/playback.ts";

const out = (message: string, delay = 0): RunEvent => ({ message, kind: "stdout", delay });
const err = (message: string): RunEvent => ({ message, kind: "stderr", delay: 0 });
const shown = (...events: RunEvent[]) => events.reduce<Segment[]>(append, []);

test("a short program keeps its pace, a long one its rhythm", () => {
  assert.deepEqual(schedule([out("a"), out("b", 5e8), out("c"), out("d", 5e8)]), [0, 0.5, 0.5, 1]);
  assert.deepEqual(schedule([out("a", 1e9), out("b", 2e9), out("c", 9e9)]), [0.25, 0.75, 3]);
  assert.deepEqual(schedule([out("a", -1)]), [0]);
});

test("output of one kind runs together", () => {
  assert.deepEqual(shown(out("a"), out("b"), err("c"), out("d")), [
    { kind: "stdout", text: "ab" },
    { kind: "stderr", text: "c" },
    { kind: "stdout", text: "d" },
  ]);
});

test("a form feed clears the screen", () => {
  assert.deepEqual(shown(out("a"), out("b\fc")), [{ kind: "stdout", text: "c" }]);
  assert.deepEqual(shown(out("a"), out("\f")), []);
});

test("unchanged output keeps its segment, so that it is not drawn again", () => {
  const before = shown(out("a"), err("b"));
  const after = append(before, out("c"));
  assert.equal(after[0], before[0]);
  assert.equal(after[1], before[1]);
});

test("how a run ended", () => {
  const run: ProgramRun = {
    errors: "",
    vetErrors: "",
    vetOK: false,
    events: [],
    status: 0,
    isTest: false,
    testsFailed: 0,
  };
  for (const [of, words, problem] of [
    [{}, "Exited", false],
    [{ status: 3 }, "Exited with status 3", true],
    [{ isTest: true }, "All tests passed", false],
    [{ isTest: true, testsFailed: 1, status: 1 }, "1 test failed", true],
    [{ isTest: true, testsFailed: 3, status: 1 }, "3 tests failed", true],
    [{ isTest: true, status: 2 }, "The tests did not finish, and exited with status 2", true],
    [{ errors: "Output too large\n" }, "Did not finish: Output too large", true],
  ] as const) {
    assert.deepEqual(ending({ ...run, ...of }), { words, problem });
  }
});
