import assert from "node:assert/strict";
import { test } from "node:test";
import { furtherIn, goTokens } from "../../src/editor/go-text.ts";

const tokens = (text: string) => [...goTokens(text)].map(({ kind, from, to }) => [kind, text.slice(from, to)]);

test("tokens of Go have their kinds", () => {
  assert.deepEqual(tokens("func f(x int) bool { return nil == x }"), [
    ["keyword", "func"],
    ["keyword", "return"],
    ["atom", "nil"],
  ]);
  assert.deepEqual(tokens('s := "a\\"b" + `raw\n"line` + \'\\\'\''), [
    ["string", '"a\\"b"'],
    ["string", '`raw\n"line`'],
    ["string", "'\\''"],
  ]);
  assert.deepEqual(tokens("x1 = 0x1p-2 + 1_000 + .5e+3 - 2i"), [
    ["number", "0x1p-2"],
    ["number", "1_000"],
    ["number", ".5e+3"],
    ["number", "2i"],
  ]);
  assert.deepEqual(tokens('a /* func\n"x" */ b // return\nvar'), [
    ["comment", '/* func\n"x" */'],
    ["comment", "// return"],
    ["keyword", "var"],
  ]);
  assert.deepEqual(tokens("größe.func_ typeOf ranger"), [], "names that have a keyword in them");
});

test("an unclosed token ends with its line or, if it may have several, with the text", () => {
  assert.deepEqual(tokens('"open\nvar'), [
    ["string", '"open'],
    ["keyword", "var"],
  ]);
  assert.deepEqual(tokens("`open\nvar"), [["string", "`open\nvar"]]);
  assert.deepEqual(tokens("/* open\nvar"), [["comment", "/* open\nvar"]]);
});

test("a line is indented after the one before it", () => {
  for (const [before, line, want] of [
    ["func f() {", "", 1],
    ["func f() { // why", "", 1],
    ["func f() {", "}", 0],
    ["\treturn x", "}", -1],
    ["call(", "", 1],
    ["x := 1", "", 0],
    ["switch x {", "case 1:", 0],
    ["case 1:", "", 1],
    ["case ':': // {", "", 1],
    ["\t\tbody()", "case 2:", -1],
    ["\t\tbody()", "default:", -1],
    ["case 1:", "case 2:", 0],
    ["// ends in {", "", 0],
    ['s := "{"', "", 0],
    ["\tcaseOf()", "", 0],
  ] as const) {
    assert.equal(furtherIn(before, line), want, `${before} | ${line}`);
  }
});
