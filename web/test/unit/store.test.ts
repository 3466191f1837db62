import assert from "node:assert/strict";
import { test } from "node:test";
import { readSaved, type Saved } from "../../src/exercise/saved.ts";
import { hashFiles, sameFiles } from "../../src/files.ts";
import { readPrediction } from "../../src/predict/data.ts";
import { Store } from "../../src/store.ts";

class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  full = false;
  get length() {
    return this.#items.size;
  }
  clear() {
    this.#items.clear();
  }
  getItem(key: string) {
    return this.#items.get(key) ?? null;
  }
  key(i: number) {
    return [...this.#items.keys()][i] ?? null;
  }
  removeItem(key: string) {
    this.#items.delete(key);
  }
  setItem(key: string, value: string) {
    if (this.full) throw new DOMException("full", "QuotaExceededError");
    this.#items.set(key, value);
  }
}

const SAVED: Saved = {
  starter: "0a1b2c3d",
  files: { "stream.go": "package stream\n" },
  hints: 2,
  passed: true,
  last: { headline: "Passed", pass: true, benchmarks: [{ name: "B", allocs_per_op: 1, bytes_per_op: 64 }] },
};

test("what is saved is loaded", () => {
  const storage = new MemoryStorage();
  const store = new Store(storage);
  assert.equal(store.load("exercise1", readSaved), null);
  assert.equal(store.save("exercise1", SAVED), true);
  assert.deepEqual(store.load("exercise1", readSaved), SAVED);
  assert.equal(storage.key(0), "onthestack/1/exercise1");
  store.remove("exercise1");
  assert.equal(store.load("exercise1", readSaved), null);
  assert.equal(storage.length, 0);
});

test("full and blocked storage are reported", () => {
  const storage = new MemoryStorage();
  storage.full = true;
  assert.equal(new Store(storage).save("exercise1", SAVED), false);
  assert.equal(new Store(null).save("exercise1", SAVED), false);
  assert.equal(new Store(null).load("exercise1", readSaved), null);
  new Store(null).remove("exercise1");
});

test("what others wrote is not trusted", () => {
  const storage = new MemoryStorage();
  const store = new Store(storage);
  for (const json of ["", "{", "[]", '"x"', "{}", '{"starter":1}', "null"]) {
    storage.setItem("onthestack/1/exercise1", json);
    assert.equal(store.load("exercise1", readSaved), null, json);
    assert.equal(store.load("exercise1", readPrediction), null, json);
  }
  const odd = readSaved(JSON.parse('{"starter":"a","hints":-3,"files":{"x":1},"last":{"headline":"h","benchmarks":[{}]}}'));
  assert.deepEqual(odd, { starter: "a", hints: 0, passed: false, last: { headline: "h", pass: false, benchmarks: [] } });
});

test("the hash follows names and text, not order", () => {
  assert.equal(hashFiles({ a: "1", b: "2" }), hashFiles({ b: "2", a: "1" }));
  assert.notEqual(hashFiles({ a: "1" }), hashFiles({ a: "2" }));
  assert.notEqual(hashFiles({ a: "1" }), hashFiles({ b: "1" }));
  assert.equal(sameFiles({ a: "1" }, { a: "1" }), true);
  assert.equal(sameFiles({ a: "1" }, { a: "1", b: "" }), false);
});
