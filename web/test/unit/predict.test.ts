import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_ALLOCS, MAX_BYTES, readNumber, readPrediction, readQuestion } from "../../src/predict/data.ts";
import { agreement, goName, readOut, since } from "../../src/predict/words.ts";
import { QUESTION, UNTIMED, WITH_BYTES } from "../stand-in/blocks.ts";

const { now } = QUESTION;
const then = QUESTION.then!;
const predicted = (allocs: number | null, measured = now) => ({ allocs, measured });

test("the data block", () => {
  assert.deepEqual(readQuestion(JSON.parse(JSON.stringify(QUESTION))), QUESTION);
  assert.ok(!("then" in readQuestion(UNTIMED)!));
  assert.ok(!("then" in readQuestion({ ...QUESTION, then: { ...then, allocs_per_op: "1" } })!));
  for (const json of [
    null,
    {},
    { ...QUESTION, now: null },
    { ...QUESTION, title: 1 },
    { ...QUESTION, now: { ...now, allocs_per_op: "1" } },
  ]) {
    assert.equal(readQuestion(json), null);
  }
});

test("a whole number from 0 to 999 can be committed", () => {
  for (const [typed, want] of [
    ["0", 0],
    [" 7 ", 7],
    ["999", 999],
    ["1000", null],
    ["", null],
    ["-1", null],
    ["1.5", null],
    ["1e2", null],
    ["two", null],
  ] as const) {
    assert.equal(readNumber(typed, MAX_ALLOCS), want, JSON.stringify(typed));
  }
  assert.equal(readNumber("99999", MAX_BYTES), 99_999);
  assert.equal(readNumber("100000", MAX_BYTES), null);
});

test("a stored prediction is read unchanged", () => {
  for (const p of [predicted(3), predicted(null), { ...predicted(1), bytes: 24 }])
    assert.deepEqual(readPrediction(JSON.parse(JSON.stringify(p))), p);
  for (const json of [
    null,
    {},
    { allocs: 3 },
    { allocs: 1.5, measured: now },
    { allocs: -1, measured: now },
    { measured: now },
    { bytes: 24, measured: now },
  ]) {
    assert.equal(readPrediction(json), null);
  }
});

test("a prediction is compared with the measurement, not judged", () => {
  assert.equal(agreement(predicted(0), null), "Measured as you predicted.");
  assert.equal(agreement(predicted(3), null), "Measured 3 fewer than you predicted.");
  assert.equal(
    agreement(predicted(1, { ...now, allocs_per_op: 2 }), then),
    "Measured 1 more than you predicted, and than Go 1.15.15 made.",
  );
  assert.equal(agreement(predicted(2, { ...now, allocs_per_op: 2.5 }), null), "Measured 0.5 more than you predicted.");
  assert.equal(agreement(predicted(null), then), "Shown without a prediction.");
  const both = (allocs: number, bytes: number) => agreement({ allocs, bytes, measured: WITH_BYTES.now });
  assert.equal(both(1, 24), "allocs/op as you predicted. B/op as you predicted.");
  assert.equal(both(0, 0), "Measured 1 alloc/op more than you predicted. Measured 24 B/op more than you predicted.");
  assert.equal(both(1, 32), "allocs/op as you predicted. Measured 8 B/op fewer than you predicted.");
  const third = agreement({ allocs: 1, bytes: 53, measured: { ...now, allocs_per_op: 1, bytes_per_op: 53.33 } });
  assert.equal(third, "allocs/op as you predicted. B/op as you predicted.", "go test prints 53");
});

test("a later release is shown beside the measured one", () => {
  const old = { ...now, go: "go1.25.14", allocs_per_op: 1, bytes_per_op: 24 };
  assert.equal(since(predicted(1), QUESTION), "");
  assert.equal(since(predicted(1, { ...now, go: "go1.25.14" }), QUESTION), "");
  assert.equal(since(predicted(1, old), QUESTION), "Measured again since then, with Go 1.26.8: 0 allocs/op, 0 B/op.");
  assert.equal(agreement(predicted(1, old), null), "Measured as you predicted.");
});

test("screen readers are told all figures", () => {
  assert.equal(
    readOut(predicted(1), QUESTION),
    "Your prediction: 1 alloc/op. Go 1.26.8: 0 allocs/op, 0 B/op. Go 1.15.15: 1 alloc/op, 32 B/op.",
  );
  assert.equal(readOut(predicted(null), { ...readQuestion(UNTIMED)!, now }), "Go 1.26.8: 0 allocs/op, 0 B/op.");
  assert.equal(
    readOut({ allocs: 1, bytes: 8, measured: WITH_BYTES.now }, WITH_BYTES),
    "Your prediction: 1 alloc/op, 8 B/op. Go 1.26.8: 1 alloc/op, 24 B/op.",
  );
  assert.equal(goName("devel go1.28-abc"), "devel go1.28-abc");
});
