import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { renumbered } from "../../src/renumbered.ts";
import { moveFormer } from "../../src/store.ts";
import { MemoryStorage } from "./memory-storage.ts";

test("the old numbers are the manifests'", async () => {
  const folder = `${process.env["OTS_ROOT"]}exercises/`;
  let former = 0;
  for (const id of await readdir(folder)) {
    const manifest = await readFile(`${folder}${id}/exercise.toml`, "utf8");
    const before = /^formerly *= "(.*)"$/m.exec(manifest)?.[1];
    if (before !== undefined) assert.equal(renumbered(before), id);
    if (before !== undefined) former++;
  }
  assert.equal(former, 28);
  for (const name of ["exercise29", "exercise40", "exercise", "exercise1x", "an-exercise1", "exercise01", ""])
    assert.equal(renumbered(name), name);
  assert.equal(renumbered("exercise1/verdict"), "exercise6/verdict");
  assert.equal(renumbered("answers/memory-profiling/exercise1"), "answers/memory-profiling/exercise6");
});

/** A storage with a limit in characters, as a browser has. */
class Limited extends MemoryStorage {
  limit = Infinity;
  override setItem(key: string, value: string) {
    const others = contents(this).filter(([other]) => other !== key);
    const size = [...others, [key, value]].flat().join("").length;
    if (size > this.limit) throw new DOMException("full", "QuotaExceededError");
    super.setItem(key, value);
  }
}

const contents = (storage: Storage) =>
  Array.from({ length: storage.length }, (_, i): [string, string] => {
    const key = storage.key(i)!;
    return [key, storage.getItem(key)!];
  }).sort();

/** The old numbers 24, 3 and 40 are a chain: each is the number of the exercise before it today. */
const BEFORE = {
  "onthestack/1/exercise24": '{"starter":"a","hints":1,"passed":true}',
  "onthestack/1/exercise24/verdict": '{"files":"f","verdict":{"exercise":"exercise24"}}',
  "onthestack/1/exercise3":
    '{"starter":"b","hints":2,"passed":false,"files":{"scan.go":"\\"exercise\\":\\"exercise3\\""}}',
  "onthestack/1/room/outbox": '[{"key":"k","exercise":"exercise3"}]',
  "onthestack/1/engine": "not JSON",
  "mdbook-theme": "navy",
};
const AFTER = {
  "mdbook-theme": "navy",
  "onthestack/2/engine": "not JSON",
  "onthestack/2/exercise3": BEFORE["onthestack/1/exercise24"],
  "onthestack/2/exercise3/verdict": '{"files":"f","verdict":{"exercise":"exercise3"}}',
  "onthestack/2/exercise40": BEFORE["onthestack/1/exercise3"],
  "onthestack/2/room/outbox": '[{"key":"k","exercise":"exercise40"}]',
};

function before(): Limited {
  const storage = new Limited();
  for (const [key, value] of Object.entries(BEFORE)) storage.setItem(key, value);
  return storage;
}

test("what was stored under old numbers is moved, once", () => {
  const storage = before();
  for (let i = 0; i < 2; i++) {
    moveFormer(storage);
    assert.deepEqual(contents(storage), Object.entries(AFTER));
  }
});

test("a move that was interrupted goes on", () => {
  for (let calls = 0; calls < 20; calls++) {
    const storage = before();
    let left = calls;
    for (const name of ["setItem", "removeItem"] as const) {
      const call = storage[name].bind(storage) as (key: string, value: string) => void;
      storage[name] = (...args: [string, string?]) => {
        if (left-- <= 0) throw new Error("the tab is closed");
        call(...(args as [string, string]));
      };
    }
    try {
      moveFormer(storage);
    } catch {
      // The tab is closed.
    }
    left = Infinity;
    moveFormer(storage);
    const entries = contents(storage);
    assert.deepEqual(
      entries.map(([key]) => key),
      Object.keys(AFTER),
    );
    const [, own] = entries.find(([key]) => key === "onthestack/2/exercise40")!;
    assert.deepEqual(JSON.parse(own).files, JSON.parse(BEFORE["onthestack/1/exercise3"]).files);
  }
});

test("full storage keeps everything, and is moved as far as it has room", () => {
  const storage = before();
  storage.limit = contents(storage).flat().join("").length;
  moveFormer(storage);
  assert.deepEqual(contents(storage), Object.entries(AFTER), "exercise24 became shorter by what exercise3 needs");
  const blocked = before();
  const kept = contents(blocked);
  blocked.setItem = (key, value) => {
    if (!(key in BEFORE)) throw new DOMException("full", "QuotaExceededError");
    MemoryStorage.prototype.setItem.call(blocked, key, value);
  };
  moveFormer(blocked);
  assert.deepEqual(contents(blocked), kept, "what cannot be moved stays");
});

test("what an earlier page stores after the move is joined with what is there", () => {
  const storage = before();
  moveFormer(storage);
  const mine = { starter: "b", hints: 3, passed: true, passedAt: "2026-12-01T10:00:00Z", files: { "scan.go": "mine" } };
  storage.setItem("onthestack/2/exercise40", JSON.stringify({ ...mine, asides: [{ "scan.go": "aside" }] }));
  const theirs = { starter: "b", hints: 1, passed: false, files: { "scan.go": "theirs" } };
  storage.setItem("onthestack/1/exercise3", JSON.stringify(theirs));
  storage.setItem("onthestack/1/room/outbox", '[{"key":"l","exercise":"exercise24"}]');
  moveFormer(storage);
  assert.deepEqual(JSON.parse(storage.getItem("onthestack/2/exercise40")!), {
    ...mine,
    files: { "scan.go": "theirs" },
    asides: [{ "scan.go": "mine" }, { "scan.go": "aside" }],
  });
  assert.deepEqual(JSON.parse(storage.getItem("onthestack/2/room/outbox")!), [
    { key: "k", exercise: "exercise40" },
    { key: "l", exercise: "exercise3" },
  ]);
});
