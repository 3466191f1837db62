import assert from "node:assert/strict";
import { test } from "node:test";
import { traces } from "../../src/verdict/traces.ts";

const own = (file: string) => file === "seats.go";

test("a panic is at the innermost line of the reader's code", () => {
  const output = `--- FAIL: TestFree (0.00s)
panic: runtime error: index out of range [3] with length 3 [recovered, repanicked]

goroutine 7 [running]:
testing.tRunner.func1.2({0x5a1e80, 0xc0000b4000})
	/usr/local/go/src/testing/testing.go:1872 +0x237
panic({0x5a1e80?, 0xc0000b4000?})
	/usr/local/go/src/runtime/panic.go:783 +0x132
onthestack/exercises/exercise1.count(...)
	onthestack/exercises/exercise1/seats.go:29
onthestack/exercises/exercise1.Free({0xc000012345, 0x3, 0x3})
	onthestack/exercises/exercise1/seats.go:41 +0x1d
created by testing.(*T).Run in goroutine 1
	/usr/local/go/src/testing/testing.go:1934 +0x413
`;
  const message = "panic: runtime error: index out of range [3] with length 3";
  assert.deepEqual(traces(output, own), [{ file: "seats.go", line: 29, message }]);
});

test("a deadlock is at a line of each goroutine, and not where one was started", () => {
  const output = `fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
main.main()
	/tmp/x/seats.go:8 +0x1d

goroutine 18 [select (no cases)]:
time.Sleep(0x1)
	/usr/local/go/src/runtime/time.go:1 +0x1
created by main.main in goroutine 1
	/tmp/x/seats.go:5 +0x2d
`;
  assert.deepEqual(
    traces(output, own).map(({ line }) => line),
    [8],
  );
});

test("lines without a panic before them are no trace", () => {
  for (const output of ["", "seats.go:3", "goroutine 1 [running]:\n\tseats.go:3 +0x1\n", "panic: x\n\tseats.go:3 +0x1\n"])
    assert.deepEqual(traces(output, own), []);
});

// Programs print what they like.
test("no more is read than is shown", () => {
  const output = "panic: x\n" + "goroutine 1 [running]:\n\t/seats.go:3 +0x1\n".repeat(1000);
  assert.equal(traces(output, own).length, 20);
});
