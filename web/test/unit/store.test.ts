import assert from "node:assert/strict";
import { test } from "node:test";
import { readSaved, type Saved } from "../../src/exercise/saved.ts";
import { Drafts } from "../../src/play/drafts.ts";
import { hashFiles, sameFiles } from "../../src/files.ts";
import { readPrediction } from "../../src/predict/data.ts";
import { Store } from "../../src/store.ts";
import { MemoryStorage } from "./memory-storage.ts";

const SAVED: Saved = {
  starter: "0a1b2c3d",
  files: { "stream.go": "package stream\n" },
  hints: 2,
  passed: true,
  passedAt: "2026-03-01T10:00:00.000Z",
  last: {
    headline: "Passed",
    at: "2026-03-01T10:00:00.000Z",
    benchmarks: [{ name: "B", allocs_per_op: 1, bytes_per_op: 64 }],
  },
};

test("a saved value is loaded", () => {
  const storage = new MemoryStorage();
  const store = new Store(storage);
  assert.equal(store.load("exercise6", readSaved), null);
  assert.equal(store.save("exercise6", SAVED), true);
  assert.deepEqual(store.load("exercise6", readSaved), SAVED);
  assert.equal(storage.key(0), "onthestack/2/exercise6");
  store.remove("exercise6");
  assert.equal(store.load("exercise6", readSaved), null);
  assert.equal(storage.length, 0);
});

test("full and blocked storage are reported", () => {
  const storage = new MemoryStorage();
  storage.full = true;
  assert.equal(new Store(storage).save("exercise6", SAVED), false);
  assert.equal(new Store(null).save("exercise6", SAVED), false);
  assert.equal(new Store(null).load("exercise6", readSaved), null);
  new Store(null).remove("exercise6");
});

test("stored values are validated", () => {
  const storage = new MemoryStorage();
  const store = new Store(storage);
  for (const json of ["", "{", "[]", '"x"', "{}", '{"starter":1}', "null"]) {
    storage.setItem("onthestack/2/exercise6", json);
    assert.equal(store.load("exercise6", readSaved), null, json);
    assert.equal(store.load("exercise6", readPrediction), null, json);
  }
  const odd = readSaved(
    JSON.parse('{"starter":"a","hints":-3,"files":{"x":1},"last":{"headline":"h","benchmarks":[{}]}}'),
  );
  assert.deepEqual(odd, { starter: "a", hints: 0, passed: false, last: { headline: "h", benchmarks: [] } });
});

test("drafts are kept by program, the newest of them", () => {
  const storage = new MemoryStorage();
  const browser = new Store(storage);
  const drafts = new Drafts(browser, new Store(new MemoryStorage()));
  assert.equal(drafts.load(""), null);
  for (let i = 0; i < 25; i++) assert.equal(drafts.save(`id${i}`, `text ${i}`), true);
  drafts.save("id10", "again");
  const later = () => new Drafts(browser, new Store(new MemoryStorage()));
  assert.equal(later().load("id24"), "text 24");
  assert.equal(later().load("id10"), "again");
  assert.equal(later().load("id5"), "text 5");
  assert.equal(later().load("id4"), null, "there is room for twenty");
  assert.equal(drafts.load("id4"), "text 4", "where it was written, it is still there");
  later().remove("id24");
  assert.equal(later().load("id24"), null);
  for (let i = 0; i < 25; i++) drafts.remove(`id${i}`);
  assert.equal(storage.length, 0);
});

test("two tabs with the same program have a draft each, and a third begins with the newest", () => {
  const browser = new Store(new MemoryStorage());
  const [one, two, three] = [1, 2, 3].map(() => new Drafts(browser, new Store(new MemoryStorage())));
  one!.save("", "one");
  two!.save("", "two");
  assert.equal(one!.load(""), "one");
  assert.equal(three!.load(""), "two");
});

test("a draft that cannot be stored is reported, and stored values are validated", () => {
  const storage = new MemoryStorage();
  const drafts = new Drafts(new Store(storage), new Store(null));
  for (const json of ["", "{}", "[1,null,{}]", '[{"id":"","text":1}]']) {
    storage.setItem("onthestack/2/play/drafts", json);
    assert.equal(drafts.load(""), null, json);
  }
  storage.full = true;
  assert.equal(drafts.save("", "text"), false);
});

test("the hash follows names and text, not order", () => {
  assert.equal(hashFiles({ a: "1", b: "2" }), hashFiles({ b: "2", a: "1" }));
  assert.notEqual(hashFiles({ a: "1" }), hashFiles({ a: "2" }));
  assert.notEqual(hashFiles({ a: "1" }), hashFiles({ b: "1" }));
  assert.equal(sameFiles({ a: "1" }, { a: "1" }), true);
  assert.equal(sameFiles({ a: "1" }, { a: "1", b: "" }), false);
});
