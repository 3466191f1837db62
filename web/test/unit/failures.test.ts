import assert from "node:assert/strict";
import { test } from "node:test";
import { failedTests } from "../../src/program/failed.ts";
import { failures, testName } from "../../src/verdict/failures.ts";

const LOG = `--- FAIL: TestReplace (0.00s)
    --- FAIL: TestReplace/a_departure (0.00s)
        stream_test.go:92: wrong output, from byte 6 on
              data:   "09:17 Llan"
              find:   "Llan"
              output: "" before
              got:    "09:17 "
              want:   "09:17 x"
              there:  got "", want "x"
        stream_test.go:95: a second thing
    feed_test.go:33: to repeat these inputs: SEED=8142
--- FAIL: TestError (0.01s)
    feed_test.go:33: to repeat these inputs: SEED=8142
    logfmt_test.go:61: a line for a value that Line cannot write
          type: int
          got:  "x", error <nil>
          want: "", and an error
              of any kind
--- FAIL: TestPanic (0.00s)
panic: runtime error: index out of range [3] with length 3

goroutine 7 [running]:
	/tmp/x_test.go:12 +0x1d
FAIL
`;

test("the first message of each failed test is read, with its fields", () => {
  assert.deepEqual(failures(LOG), [
    {
      test: "TestReplace/a_departure",
      file: "stream_test.go",
      line: 92,
      message: "wrong output, from byte 6 on",
      fields: [
        ["data", '"09:17 Llan"'],
        ["find", '"Llan"'],
        ["output", '"" before'],
        ["got", '"09:17 "'],
        ["want", '"09:17 x"'],
        ["there", 'got "", want "x"'],
      ],
    },
    {
      test: "TestError",
      file: "logfmt_test.go",
      line: 61,
      message: "a line for a value that Line cannot write",
      fields: [
        ["type", "int"],
        ["got", '"x", error <nil>'],
        ["want", '"", and an error\nof any kind'],
      ],
    },
  ]);
  assert.equal(testName("TestReplace/a_departure"), "TestReplace, a departure");
});

test("a log without failures has none", () => {
  for (const log of [
    "",
    "PASS\n",
    "the tests did not come to an end: they ran longer than 2s",
    "    a_test.go:3: nobody's\n",
    "--- FAIL: \n--- FAIL: T (x)\n",
  ]) {
    assert.deepEqual(failures(log), []);
  }
});

// Tests print what learners' programs return, so a log can contain anything.
test("any log is read, in its own order, and no more than is shown", () => {
  const pieces = [
    "--- FAIL: TestX (0.00s)\n",
    "    x_test.go:1: m\n",
    "          got: 1\n",
    "\t\n",
    "    ",
    "--- FAIL: ",
    "x_test.go:",
    "\u0000",
    "got:  want\n",
    ": got: , want: \n",
    "    x_test.go:99999999999999999999: n\n",
  ];
  let seed = 7;
  const draw = (n: number) => (seed = (seed * 48271) % 0x7fffffff) % n;
  for (let round = 0; round < 2000; round++) {
    const log = Array.from({ length: draw(60) }, () => pieces[draw(pieces.length)]!).join("");
    const found = failures(log);
    assert.ok(found.length <= 20);
    for (const f of found) assert.ok(log.includes(f.file) && f.test !== "" && f.message.length <= log.length);
  }
});

test("in a verbose log, messages stand before the result of their test", () => {
  const verbose = `=== RUN   TestA
    prog_test.go:5: it is logged, and passes
--- PASS: TestA (0.00s)
=== RUN   TestB
=== RUN   TestB/a_case
    prog_test.go:9: wrong
        got:  1
=== RUN   TestB/another
    prog_test.go:9: right
=== NAME  TestB
    prog_test.go:12: and the whole
--- FAIL: TestB (0.00s)
    --- FAIL: TestB/a_case (0.00s)
    --- PASS: TestB/another (0.00s)
=== RUN   TestC
    prog_test.go:20: last
--- FAIL: TestC (0.00s)
FAIL
`;
  assert.deepEqual(
    failedTests(verbose).map(({ line, message }) => [line, message]),
    [
      [12, "TestB: and the whole"],
      [9, "TestB, a case: wrong"],
      [20, "TestC: last"],
    ],
  );
});
