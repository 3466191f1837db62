import assert from "node:assert/strict";
import { test } from "node:test";
import { programOf, marksOf } from "../../src/exercise/typing.ts";
import type { Diagnostic } from "../../src/go/runner.ts";

test("a package is a program of the same lines", () => {
  assert.equal(
    programOf({ "a.go": "// A comment.\n\npackage stream // its name\n\nvar x = `\npackage y`", "b.go": "package stream\n" }),
    "-- a.go --\n// A comment.\n\npackage main // its name\n\nvar x = `\npackage y`\n-- b.go --\npackage main\n",
  );
});

test("what goes to the heap is marked, and constants are not", () => {
  const said = (line: number, kind: string, message: string, file = "a.go") =>
    ({ file, line, col: 1, kind, message, flow: [] }) as unknown as Diagnostic;
  const marks = marksOf(
    [
      said(3, "escape", "make([]byte, n) escapes to heap"),
      said(3, "escape", "make([]byte, n) escapes to heap"),
      said(3, "moved", "moved to heap: x"),
      said(4, "stays", "make([]byte, 8) does not escape"),
      said(5, "escape", '"a constant" escapes to heap'),
      said(6, "escape", "-1 escapes to heap"),
      said(7, "leak", "leaking param: p"),
      said(8, "inline", "can inline f"),
      said(9, "escape", "y escapes to heap", "other.go"),
    ],
    ["a.go", "b.go"],
  );
  assert.deepEqual(
    Object.entries(marks).map(([file, { lines, errors }]) => [
      file,
      lines.map(({ line, kind, label, name }) => [line, kind, label, name]),
      errors,
    ]),
    [
      [
        "a.go",
        [[3, "said", "?×", "Line 3, not measured: the compiler says make([]byte, n) escapes to heap; moved to heap: x"]],
        [],
      ],
      ["b.go", [], []],
    ],
  );
});
