import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { storedVerdict, readStoredVerdict } from "../../src/exercise/saved.ts";
import { readFiles } from "../../src/exercise/data.ts";
import { codeLines } from "../../src/exercise/code-lines.ts";
import { difference, linesOf } from "../../src/exercise/solution-view.ts";
import { SOLUTION_FILE, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

const shown = (lines: ReturnType<typeof difference>) =>
  lines.map(({ kind, text }) => ({ same: " ", gone: "-", new: "+", skip: "…" })[kind] + text);

test("a difference shows changes with three lines around them", () => {
  const mine = "a\nb\nc\nd\ne\nf\ng\nh\n";
  assert.deepEqual(shown(difference(mine, mine.replace("f", "F"))), ["…", " c", " d", " e", "-f", "+F", " g", " h"]);
  assert.deepEqual(
    shown(difference("", "a\n")).filter((l) => l !== " "),
    ["+a"],
  );
  assert.deepEqual(shown(difference(mine, mine)), ["…"]);
});

test("a difference ignores comments, blank lines and the blanks of gofmt", () => {
  const mine = 'package a\n\n// mine\nvar x   = "//" // one\n\nvar y = 1\n';
  const theirs = 'package a\n/* the solution\nsays why */\nvar x = "//"\n\n\nvar y = 1 // two\n';
  assert.deepEqual(shown(difference(mine, theirs)), ["…"]);
  assert.deepEqual(
    shown(difference(mine, theirs.replace('"//"', '"/*"'))),
    [" package a", '-var x   = "//" // one', '+var x = "/*"', " var y = 1 // two"],
    "a literal is no comment",
  );
});

test("lines of code are those with more than a comment, as for checkalloc", async () => {
  // TestCodeLines of tools/checkalloc/app reads the same file.
  const cases = await readFile(`${process.env["OTS_ROOT"]}tools/checkalloc/app/testdata/code-lines.json`, "utf8");
  for (const { file, code } of JSON.parse(cases)) assert.deepEqual(codeLines(file).map((line) => line.code), code, file);
});

test("a unified diff is read line by line", () => {
  assert.deepEqual(shown(linesOf("@@ -1,2 +1,2 @@\n a\n-b\n+B\n")), ["…", " a", "-b", "+B"]);
});

test("JSON that is not a solution is refused", () => {
  assert.deepEqual(
    readFiles(SOLUTION_FILE)?.mistakes.map((m) => m.title),
    ["A value in place of the pointer"],
  );
  for (const json of [null, [], {}, { files: "x" }]) assert.equal(readFiles(json), null);
});

test("a stored verdict is bounded: first the compiler's report is dropped, then the verdict", () => {
  assert.deepEqual(readStoredVerdict(JSON.parse(JSON.stringify(storedVerdict("12", TWO_ALLOCATIONS)))), {
    files: "12",
    verdict: TWO_ALLOCATIONS,
  });
  const many = Array.from({ length: 1000 }, () => TWO_ALLOCATIONS.escapes[0]!);
  assert.deepEqual(storedVerdict("12", { ...TWO_ALLOCATIONS, escapes: many })?.verdict.escapes, []);
  const loud = { ...TWO_ALLOCATIONS, tests: { ...TWO_ALLOCATIONS.tests, output: "x".repeat(100_000) } };
  assert.ok(JSON.stringify(storedVerdict("12", loud)).length < 40_000);
  const wide = { ...TWO_ALLOCATIONS, allocations: Array.from({ length: 1000 }, () => TWO_ALLOCATIONS.allocations[0]!) };
  assert.equal(storedVerdict("12", wide), null);
  assert.equal(readStoredVerdict({ files: "12", verdict: {} }), null);
});
