import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_WIDTHS, loadWidths, rangeOf, saveWidths } from "../../src/shell/widths.ts";
import { Store } from "../../src/store.ts";
import { MemoryStorage } from "./memory-storage.ts";

test("widths are kept, unless they leave no room for the code or are something else", () => {
  const store = new Store(new MemoryStorage());
  assert.deepEqual(loadWidths(store), FIRST_WIDTHS);
  const mine = { task: 30, verdict: 35, side: 50 };
  saveWidths(store, mine);
  assert.deepEqual(loadWidths(store), mine);
  for (const wrong of [null, [], { task: 1 }, { ...mine, task: "30" }, { ...mine, task: 60 }, { ...mine, side: 90 }]) {
    store.save("panes", wrong);
    assert.deepEqual(loadWidths(store), FIRST_WIDTHS, JSON.stringify(wrong));
  }
});

test("the ranges of two panes leave room for the code", () => {
  const [, max] = rangeOf("task", { task: 20, verdict: 40, side: 42 });
  assert.equal(max, 30);
});
