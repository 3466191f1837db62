import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { isTime, mergeReached, readSaved, type Reached, type Saved } from "../../src/exercise/saved.ts";
import { readAnswers, readProgress, writeProgress, WrongFile, type State } from "../../src/progress/file.ts";
import { ProgressStore } from "../../src/progress/progress-store.ts";
import { Store } from "../../src/store.ts";
import { MemoryStorage } from "./memory-storage.ts";

/** A file that progress_test.go of internal/workspace reads and writes, too. */
const golden = () => readFile(`${process.env["OTS_ROOT"]}internal/workspace/testdata/progress.json`, "utf8");
const IDS = ["exercise6", "exercise7", "exercise10", "exercise15"];
const NOW = new Date("2026-04-01T12:00:00Z");

function browser() {
  const storage = new MemoryStorage();
  const store = new Store(storage);
  return {
    storage,
    store,
    progress: () => new ProgressStore(store, IDS),
    saved: (id: string) => store.load(id, readSaved),
  };
}

const file = (exercises: Record<string, Partial<State>>) =>
  readProgress(JSON.stringify({ schema: "checkalloc/progress/2", exercises }));

test("a file that checkalloc wrote is imported, and exported byte for byte", async () => {
  const text = await golden();
  const { progress, saved } = browser();
  assert.deepEqual(progress().merge(readProgress(text), NOW), {
    newlyPassed: ["exercise15", "exercise6"],
    unknown: ["exercise99"],
    stored: true,
  });
  assert.equal(writeProgress(progress().progress(NOW)), text);
  assert.equal(saved("exercise6")!.passedAt, "2026-03-01T10:00:00.125Z");
  assert.equal(saved("exercise6")!.last!.headline, "1 alloc/op, 64 B/op");
  assert.equal(progress().passed(), 2);
  assert.equal(progress().next(), "exercise7");
  // Merging twice has the same result as merging once.
  assert.deepEqual(progress().merge(readProgress(text), NOW).newlyPassed, []);
  assert.equal(writeProgress(progress().progress(NOW)), text);
});

test("progress that the editors stored is exported", () => {
  const { store, progress } = browser();
  assert.equal(
    writeProgress(progress().progress(NOW)),
    '{\n  "schema": "checkalloc/progress/2",\n  "exercises": {}\n}\n',
  );
  const last = { headline: "h", benchmarks: [{ name: "B", allocs_per_op: 2.5, bytes_per_op: 0 }] };
  store.save("exercise6", {
    starter: "a",
    hints: 1,
    passed: true,
    passedAt: "2026-03-01T10:00:00.125Z",
    last,
  } satisfies Saved);
  store.save("exercise7", { starter: "a", hints: 0, passed: false } satisfies Saved);
  store.save("exercise10", { starter: "a", hints: 0, passed: false, files: { "a.go": "secret" } } satisfies Saved);
  const text = writeProgress(progress().progress(NOW));
  assert.deepEqual(JSON.parse(text).exercises, {
    exercise6: { passed: "2026-03-01T10:00:00.125Z", hints: 1, last: last.benchmarks },
  });
  assert.equal(progress().of("exercise7"), null, "an editor that was only looked at is not a beginning");
  assert.notEqual(progress().of("exercise10"), null);
});

test("a pass without a stored time gets the time of the first export", () => {
  const { store, progress } = browser();
  store.save("exercise6", { starter: "a", hints: 0, passed: true });
  assert.equal(progress().progress(NOW).get("exercise6")!.passed, "2026-04-01T12:00:00.000Z");
  assert.equal(progress().progress(new Date()).get("exercise6")!.passed, "2026-04-01T12:00:00.000Z");
});

test("an import adds, and takes nothing away", () => {
  const { store, progress, saved } = browser();
  const files = { "a.go": "mine" };
  const figures = (n: number) => [{ name: "B", allocs_per_op: n, bytes_per_op: 0 }];
  const mine: Saved = {
    starter: "a",
    hints: 2,
    passed: true,
    passedAt: "2026-03-02T10:00:00Z",
    files,
    last: { headline: "Passed", benchmarks: figures(1), at: "2026-03-05T00:00:00Z" },
  };
  store.save("exercise6", mine);
  const take = (state: Partial<State>, written: string) => {
    progress().merge(file({ exercise6: state }), new Date(written));
    return saved("exercise6")!;
  };
  // The file is older and has less progress.
  assert.deepEqual(take({}, "2026-03-01T00:00:00Z"), mine);
  assert.deepEqual(take({ hints: 1, last: figures(9), passed: "2026-03-03T10:00:00Z" }, "2026-03-04T00:00:00Z"), mine);
  // The result has the earlier pass, more hints and the later figures. In UTC, the pass is at 22:30 of the day before.
  const then = take({ hints: 3, last: figures(0), passed: "2026-03-02T00:30:00+02:00" }, "2026-03-06T00:00:00Z");
  assert.deepEqual(then, {
    ...mine,
    hints: 3,
    passedAt: "2026-03-02T00:30:00+02:00",
    last: { headline: "0 allocs/op, 0 B/op", benchmarks: figures(0), at: "2026-03-06T00:00:00.000Z" },
  });
});

test("the earlier pass says whether the solution was shown before it", () => {
  const early = { hints: 0, passed: true, passedAt: "2026-03-01T10:00:00Z" };
  const late = { ...early, passedAt: "2026-03-02T10:00:00Z" };
  const none = { hints: 0, passed: false };
  const spoiled = true as const;
  for (const [mine, other, want] of [
    [none, { ...none, spoiled }, true],
    [{ ...none, spoiled }, none, true],
    [none, { ...late, spoiled }, true],
    [{ ...none, spoiled }, late, undefined],
    [late, { ...none, spoiled }, undefined],
    [{ ...late, spoiled }, early, undefined],
    [{ ...early, spoiled }, late, true],
    [late, { ...early, spoiled }, true],
  ] as const) {
    const merged: Reached = { ...mine };
    mergeReached(merged, other);
    assert.equal(merged.spoiled, want, JSON.stringify([mine, other]));
  }
});

test("progress on unknown exercises is kept for a workbook that has them", () => {
  const { store, progress, saved } = browser();
  progress().merge(file({ exercise99: { hints: 2 }, ["__proto__"]: { hints: 1 } }), NOW);
  progress().merge(file({ exercise99: { hints: 1, passed: "2026-03-01T10:00:00Z" } }), NOW);
  assert.deepEqual(
    [...progress().progress(NOW)],
    [
      ["__proto__", { hints: 1, last: [] }],
      ["exercise99", { passed: "2026-03-01T10:00:00Z", hints: 2, last: [] }],
    ],
  );
  assert.equal(saved("exercise99"), null);
  const grown = new ProgressStore(store, [...IDS, "exercise99"]);
  assert.equal(grown.passed(), 1);
  assert.equal(saved("exercise99")!.hints, 2);
  assert.deepEqual([...progress().progress(NOW).keys()], ["__proto__"], "it is moved, not copied");
});

test("blocked and full storage are reported", () => {
  assert.equal(new ProgressStore(new Store(null), IDS).works(), false);
  assert.equal(new ProgressStore(new Store(null), IDS).merge(file({ exercise6: { hints: 1 } }), NOW).stored, false);
  const { storage, progress } = browser();
  assert.equal(progress().works(), true);
  assert.equal(storage.length, 0);
  storage.full = true;
  assert.deepEqual(progress().merge(file({ exercise6: { passed: "2026-03-01T10:00:00Z" }, exercise99: {} }), NOW), {
    newlyPassed: [],
    unknown: ["exercise99"],
    stored: false,
  });
});

test("invalid files are refused", () => {
  for (const exercises of [
    "null",
    "{}",
    '{"exercise6":null}',
    '{"exercise6":{"passed":null,"hints":0,"last":null,"more":1}}',
  ]) {
    const read = readProgress(`{"schema":"checkalloc/progress/2","exercises":${exercises}}`);
    for (const state of read.values()) assert.deepEqual(state, { hints: 0, last: [] });
  }
  assert.equal(readProgress('{"schema":"checkalloc/progress/2"}').size, 0);
  for (const [text, why] of [
    ["", /it is not JSON/],
    ["{", /it is not JSON/],
    ["[]", /names no schema/],
    ["null", /names no schema/],
    ['{"schema":1}', /names no schema/],
    [
      '{"schema":"checkalloc/verdict/1"}',
      /its schema is “checkalloc\/verdict\/1”, and this page reads “checkalloc\/progress\/2”/,
    ],
    ['{"schema":"checkalloc/progress/2","exercises":[]}', /“exercises”/],
    ['{"schema":"checkalloc/progress/2","exercises":{"a":1}}', /“a” is not valid: it is not an object/],
    [
      '{"schema":"checkalloc/progress/2","exercises":{"a":{"passed":true}}}',
      /“a” is not valid: “passed” is not a time/,
    ],
    ['{"schema":"checkalloc/progress/2","exercises":{"a":{"hints":-1}}}', /“hints”/],
    ['{"schema":"checkalloc/progress/2","exercises":{"a":{"hints":1.5}}}', /“hints”/],
    ['{"schema":"checkalloc/progress/2","exercises":{"a":{"last":{}}}}', /“last”/],
    [
      '{"schema":"checkalloc/progress/2","exercises":' +
        '{"a":{"last":[{"name":"B","allocs_per_op":1e999,"bytes_per_op":1}]}}}',
      /“last”/,
    ],
  ] as const) {
    assert.throws(
      () => readProgress(text),
      (e) => e instanceof WrongFile && why.test(e.message),
      text,
    );
  }
});

test("a file from before the exercises were renumbered is read with today's names", () => {
  const text = JSON.stringify({
    schema: "checkalloc/progress/1",
    exercises: { exercise24: { hints: 1 }, exercise3: { hints: 2 }, exercise99: { hints: 3 }, other: {} },
    questions: { "memory-profiling/exercise1": { choice: "a", right: true }, "a/b": { choice: "b", right: false } },
  });
  const read = readProgress(text);
  assert.deepEqual([...read.keys()], ["exercise3", "exercise40", "exercise99", "other"]);
  assert.equal(read.get("exercise40")!.hints, 2);
  assert.deepEqual([...readAnswers(text).keys()], ["memory-profiling/exercise6", "a/b"]);
  const today = writeProgress(read, readAnswers(text));
  assert.equal(writeProgress(readProgress(today), readAnswers(today)), today, "today's file is not translated again");
});

test("exactly the times that Go reads are accepted", () => {
  for (const time of ["2026-03-01T10:00:00Z", "2024-02-29T23:59:59.123456789+05:30", "2026-12-31T00:00:00.5-08:00"]) {
    assert.equal(isTime(time), true, time);
  }
  for (const time of [
    "",
    "2026-03-01",
    "2026-03-01 10:00:00Z",
    "2026-03-01T10:00:00",
    "2026-02-30T10:00:00Z",
    "2026-02-29T10:00:00Z",
    "2026-13-01T10:00:00Z",
    "2026-03-00T10:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T10:60:00Z",
    5,
    null,
    ["2026-03-01T10:00:00Z"],
  ]) {
    assert.equal(isTime(time), false, String(time));
  }
});

test("progress never goes back", () => {
  const mine = { hints: 2, passed: true, passedAt: "2026-03-01T10:00:00Z" };
  mergeReached(mine, { hints: 1, passed: false });
  mergeReached(mine, { hints: 0, passed: true, passedAt: "2026-03-01T10:00:01Z" });
  assert.deepEqual(mine, { hints: 2, passed: true, passedAt: "2026-03-01T10:00:00Z" });
  const old = { hints: 0, passed: true };
  mergeReached(old, mine);
  assert.deepEqual(old, mine);
});

test("answers to the book's questions are exported, and imported where there are none", () => {
  const { store, progress } = browser();
  const reader = { choice: "the call", right: true };
  store.save("question/memory-profiling/reader", reader);
  store.save("question/memory-profiling/window", { choice: null, right: false }); // only looked
  store.save("question/memory-profiling/broken", { right: 1 });
  const text = writeProgress(progress().progress(NOW), progress().answers());
  assert.match(text, /"questions": \{\n {4}"memory-profiling\/reader": \{/);
  assert.deepEqual(readAnswers(text), new Map([["memory-profiling/reader", reader]]));
  assert.equal(readProgress(text).size, 0);

  const other = browser();
  other.store.save("question/memory-profiling/reader", { choice: "the make", right: false });
  const more = text.replace('"questions": {', '"questions": { "a/b": { "choice": "x", "right": false }, "../c": 1,');
  assert.equal(other.progress().mergeAnswers(readAnswers(more)), true);
  assert.deepEqual(
    [...other.progress().answers()].sort(),
    [
      ["a/b", { choice: "x", right: false }],
      ["memory-profiling/reader", { choice: "the make", right: false }],
    ],
    "the reader's own answer stays",
  );
});
