import assert from "node:assert/strict";
import { test } from "node:test";
import { leadingColumns, offsetOfColumn, replacement } from "../../src/editor/positions.ts";
import { readFindings } from "../../src/errors.ts";

test("byte columns become offsets", () => {
  assert.equal(offsetOfColumn("\tab", 1), 0);
  assert.equal(offsetOfColumn("\tab", 2), 1);
  assert.equal(offsetOfColumn('s := "é" + x', 12), 10); // é is two bytes
  assert.equal(offsetOfColumn('"😀" x', 8), 5); // four bytes, two UTF-16 units
  assert.equal(offsetOfColumn("ab", 99), 2);
  assert.equal(offsetOfColumn("ab", 0), 0);
});

test("the smallest replacement", () => {
  const apply = (from: string, to: string) => {
    const r = replacement(from, to)!;
    assert.equal(from.slice(0, r.from) + r.insert + from.slice(r.to), to);
    return r;
  };
  assert.equal(replacement("a", "a"), null);
  assert.deepEqual(apply("a  b", "a b"), { from: 2, to: 3, insert: "" });
  assert.deepEqual(apply("ab", "aab"), { from: 1, to: 1, insert: "a" });
  assert.deepEqual(apply("", "x"), { from: 0, to: 0, insert: "x" });
});

test("findings of gofmt, of the compiler and of go vet", () => {
  assert.deepEqual(readFindings("prog.go:3:1: expected declaration\n./prog.go:9: odd\nelse\n"), [
    { file: "prog.go", line: 3, col: 1, message: "expected declaration" },
    { file: "prog.go", line: 9, col: 0, message: "odd" },
    { file: "", line: 0, col: 0, message: "else" },
  ]);
  assert.deepEqual(
    readFindings("./prog.go:5:16: not enough arguments in call to f\n\thave (number)\n\twant (int, int)\n"),
    [
      {
        file: "prog.go",
        line: 5,
        col: 16,
        message: "not enough arguments in call to f\nhave (number)\nwant (int, int)",
      },
    ],
  );
  assert.deepEqual(readFindings("vet: ./shape/shape.go:5:16: undefined: x\ngo vet took too long\n"), [
    { file: "shape/shape.go", line: 5, col: 16, message: "undefined: x" },
    { file: "", line: 0, col: 0, message: "go vet took too long" },
  ]);
});

test("leading blanks are counted in columns", () => {
  for (const [line, want] of [
    ["x", 0],
    ["", 0],
    ["\t\tx", 8],
    ["  \tx", 4],
    ["     x", 5],
  ] as const) {
    assert.equal(leadingColumns(line, 4), want, JSON.stringify(line));
  }
});
