// The times of a workshop's plan.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { begin, clock, lateWords, planned, readClock, StoredDay, whereAt, type Day } from "../../src/plan/schedule.ts";
import { Store } from "../../src/store.ts";
import { MemoryStorage } from "./memory-storage.ts";

const BLOCKS = [
  { id: "a", title: "A", minutes: 10 },
  { id: "b", title: "B", minutes: 20 },
  { id: "c", title: "C", minutes: 30 },
];
const NINE = 9 * 60;
const on = (begun: number[]): Day => ({ start: NINE, date: "2026-11-23", begun });

test("a clock's time is read and written", () => {
  for (const [text, time] of [["9:00", 540], ["09:05", 545], ["0:00", 0], ["23:59", 1439]] as const)
    assert.equal(readClock(text), time, text);
  for (const text of ["", "24:00", "9:60", "9", "9:5", "-1:00", "9:00 pm"]) assert.equal(readClock(text), null, text);
  assert.equal(clock(545.9), "9:05");
  assert.equal(clock(1440 + 5), "0:05", "a plan may end after midnight");
});

test("each block begins when the one before it ends", () => {
  assert.deepEqual(planned(BLOCKS, NINE), [540, 550, 570, 600]);
});

describe("where a workshop is", () => {
  for (const [what, begun, now, at, late] of [
    ["the clock decides before anybody begins", [], NINE - 1, -1, null],
    ["at the start", [], NINE, 0, null],
    ["in the last block", [], NINE + 59, 2, null],
    ["after the end", [], NINE + 60, 3, null],
    ["begun on time", [NINE], NINE + 5, 0, 0],
    ["begun late", [NINE + 4], NINE + 5, 0, 4],
    ["begun early", [NINE - 3], NINE, 0, -3],
    ["late because the block takes longer", [NINE], NINE + 17.5, 0, 7],
    ["a late block stays late", [NINE, NINE + 16], NINE + 20, 1, 6],
    ["time was made up", [NINE + 8, NINE + 10], NINE + 11, 1, 0],
    ["over, five minutes late", [NINE, NINE + 10, NINE + 30, NINE + 65], NINE + 90, 3, 5],
  ] as const) {
    test(what, () => assert.deepEqual(whereAt(BLOCKS, on([...begun]), now), { at, late }));
  }
});

test("lateness has words", () => {
  const words = [0, 1, 5, -1, -2].map(lateWords);
  assert.deepEqual(words, ["on time", "1 minute late", "5 minutes late", "1 minute early", "2 minutes early"]);
});

test("a block that is passed over begins with the next one, and one that is begun again ends the later ones", () => {
  const day = begin(on([NINE]), 2, new Date(2026, 10, 23, 9, 20));
  assert.deepEqual(day.begun, [NINE, NINE + 20, NINE + 20]);
  assert.deepEqual(begin(day, 1, new Date(2026, 10, 23, 9, 30)).begun, [NINE, NINE + 30]);
});

test("what began yesterday is over, and the start time stays", () => {
  const stored = new StoredDay(new Store(new MemoryStorage()), "half-day", NINE);
  const monday = new Date(2026, 10, 23, 13, 0);
  assert.deepEqual(stored.load(monday), { start: NINE, date: "", begun: [] });
  stored.save(begin({ start: 780, date: "", begun: [] }, 0, monday));
  assert.deepEqual(stored.load(monday), { start: 780, date: "2026-11-23", begun: [780] });
  assert.deepEqual(stored.load(new Date(2026, 10, 24, 8, 0)).begun, []);
  assert.equal(stored.load(new Date(2026, 10, 24, 8, 0)).start, 780);
});

test("a stored day of another shape is ignored", () => {
  for (const day of [1, {}, { start: "9:00", date: "", begun: [] }, { start: 1e9, date: "", begun: [] },
    { start: 540, date: "", begun: ["x"] }, { start: 540, date: "", begun: Array(1000).fill(1) }]) {
    const store = new Store(new MemoryStorage());
    store.save("plan/half-day", day);
    assert.equal(new StoredDay(store, "half-day", NINE).load(new Date()).start, NINE, JSON.stringify(day));
    assert.deepEqual(new StoredDay(store, "half-day", NINE).load(new Date()).begun, []);
  }
});
