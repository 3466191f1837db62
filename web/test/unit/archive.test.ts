import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, markerName, partAt, readParts } from "../../src/archive.ts";

const TEXT = `package main

func main() {}
-- go.mod --
module play
-- lib/a b.go --
package lib

var X = 1
-- empty.go --
-- last.go --
package main`;

test("a line that begins a file", () => {
  for (const [line, name] of [
    ["-- a.go --", "a.go"],
    ["--  lib/a b.go  --", "lib/a b.go"],
    ["-- a -- b --", "a -- b"],
    ["-- a.go --x", null],
    ["-- a.go -- ", null],
    [" -- a.go --", null],
    ["-- --", null],
    ["--   --", null],
    ["--a.go--", null],
    ["", null],
  ] as const) {
    assert.equal(markerName(line), name, JSON.stringify(line));
  }
});

test("the files of a text", () => {
  assert.deepEqual(readParts(TEXT.split("\n")), [
    { name: "prog.go", first: 1, lines: 3 },
    { name: "go.mod", first: 5, lines: 1 },
    { name: "lib/a b.go", first: 7, lines: 3 },
    { name: "empty.go", first: 11, lines: 0 },
    { name: "last.go", first: 12, lines: 1 },
  ]);
  assert.deepEqual(
    readParts(["-- a.go --", "x"]).map((p) => [p.name, p.lines]),
    [
      ["prog.go", 0],
      ["a.go", 1],
    ],
  );
});

test("every line is in its file, and the lines that begin a file are in none", () => {
  const parts = readParts(TEXT.split("\n"));
  const names = TEXT.split("\n").map((_, i) => partAt(parts, i + 1)?.name ?? null);
  assert.deepEqual(names, [
    "prog.go",
    "prog.go",
    "prog.go",
    null,
    "go.mod",
    null,
    ...Array(3).fill("lib/a b.go"),
    null,
    null,
    "last.go",
  ]);
});

test("a file's line is found in the text", () => {
  const archive = new Archive(TEXT);
  assert.equal(archive.lineOf("prog.go", 3), 3);
  assert.equal(archive.lineOf("lib/a b.go", 3), 9);
  assert.equal(archive.code("lib/a b.go", 3), "var X = 1");
  assert.equal(archive.lineOf("last.go", 1), 12);
  // The compiler may name the line after the last, but none beyond.
  assert.equal(archive.lineOf("last.go", 2), 13);
  assert.equal(archive.lineOf("last.go", 3), 0);
  assert.equal(archive.lineOf("prog.go", 0), 0);
  assert.equal(archive.lineOf("other.go", 1), 0);
  assert.equal(archive.code("other.go", 1), "");
  assert.equal(archive.has("go.mod"), true);
  assert.equal(archive.has("other.go"), false);
});
