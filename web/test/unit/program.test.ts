import assert from "node:assert/strict";
import { test } from "node:test";
import { append, schedule, type Segment } from "../../src/program/playback.ts";
import type { RunEvent } from "../../src/runner-client.ts";

const out = (message: string, delay = 0): RunEvent => ({ message, kind: "stdout", delay });
const err = (message: string): RunEvent => ({ message, kind: "stderr", delay: 0 });
const shown = (...events: RunEvent[]) => events.reduce<Segment[]>(append, []);

test("a short program keeps its pace, a long one its rhythm", () => {
  assert.deepEqual(schedule([out("a"), out("b", 5e8)]), [0, 0.5]);
  assert.deepEqual(schedule([out("a", 1e9), out("b", 2e9), out("c", 9e9)]), [0.25, 0.5, 2.25]);
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
