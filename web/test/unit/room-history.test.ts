import assert from "node:assert/strict";
import { test } from "node:test";
import { HandedIn } from "../../src/go/room.ts";
import { read } from "../../src/json.ts";
import { handedWords } from "../../src/room/handed-list.ts";

test("a submission is told by its time, its state, its figures and whether it is late", () => {
  const submitted = new Date();
  submitted.setHours(14, 5, 0, 0);
  const words = (handed: object, zero = false, counts = false) =>
    handedWords(read(HandedIn, { submitted: submitted.toISOString(), state: "graded", ...handed })!, zero, counts);
  assert.equal(words({ stage: "tests", late: true }), "14:05: fails a test, after the deadline");
  assert.equal(words({ stage: "tests", late: true, afterEnd: true }), "14:05: fails a test, after the end");
  assert.equal(
    words({ passed: true, allocs: 1, target: 1 }, false, true),
    "14:05: passed, 1 alloc/op, target 1, this one counts",
  );
  assert.equal(words({ passed: true, late: true }, true), "14:05: passed, after the deadline, 0 allocs/op, target 0");
  assert.equal(words({ state: "queued" }, true), "14:05: handed in, not graded yet");
  assert.equal(words({ state: "failed" }), "14:05: handed in, but the server could not grade it");
});
