import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  bar,
  bytesPerOp,
  allocsPerOp,
  count,
  exactly,
  headline,
  missesLive,
  saved,
  sinceLast,
  size,
  stages,
  stagesSoFar,
} from "../../src/verdict/words.ts";
import type { Stage } from "../../src/go/runner.ts";
import { BUILD_ERROR, EXERCISE, FAILED_TESTS, PASS, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

test("figures are rounded as in the terminal", async () => {
  const file = `${process.env["OTS_ROOT"]}internal/verdict/testdata/figures.json`;
  const figures = JSON.parse(await readFile(file, "utf8")) as {
    value: number;
    allocs: string;
    bytes: string;
    allocs_against: string;
    bytes_against: string;
  }[];
  assert.ok(figures.length > 0);
  for (const f of figures) {
    assert.equal(count(f.value), f.allocs, `count(${f.value})`);
    assert.equal(size(f.value), f.bytes, `size(${f.value})`);
    const target = Math.floor(f.value);
    assert.equal(exactly(f.value, target, count), f.allocs_against, `count(${f.value}) against ${target}`);
    assert.equal(exactly(f.value, target, size), f.bytes_against, `size(${f.value}) against ${target}`);
  }
  assert.equal(allocsPerOp(1), "1 alloc/op");
  assert.equal(allocsPerOp(0.1), "0.1 allocs/op");
  assert.equal(bytesPerOp(48), "48 B/op");
});

test("a rounded miss never looks like its target", () => {
  assert.equal(exactly(1.02, 1, count), "1.02");
  assert.equal(exactly(1, 1, count), "1");
  const v = { ...TWO_ALLOCATIONS, benchmarks: [{ ...TWO_ALLOCATIONS.benchmarks[0]!, allocs_per_op: 1.02 }] };
  assert.equal(headline(v), "Not yet: 1.02 allocs/op, target 1");
});

test("headlines", () => {
  assert.equal(headline(PASS), "Passed");
  assert.equal(headline(TWO_ALLOCATIONS), "Not yet: 2 allocs/op, target 1");
  assert.equal(headline(BUILD_ERROR), "Does not compile");
  assert.equal(headline(FAILED_TESTS), "2 of 6 tests fail");
  const bytes = { ...TWO_ALLOCATIONS, benchmarks: [{ ...TWO_ALLOCATIONS.benchmarks[0]!, allocs_per_op: 1 }] };
  assert.equal(headline(bytes), "Not yet: 112 B/op, target 64");
});

test("stages up to the one that failed", () => {
  const words = (v: typeof PASS) => stages(v).map((s) => `${s.stage} ${s.text}`);
  assert.deepEqual(words(PASS), ["policy ok", "build ok", "tests 6 of 6", "benchmark ok"]);
  assert.deepEqual(words(BUILD_ERROR), ["policy ok", "build not yet", "tests not reached", "benchmark not reached"]);
  assert.deepEqual(words(FAILED_TESTS), ["policy ok", "build ok", "tests 4 of 6 passed", "benchmark not reached"]);
  assert.deepEqual(words(TWO_ALLOCATIONS).at(-1), "benchmark not yet");
});

test("stages of a check that is under way", () => {
  const words = (...args: Parameters<typeof stagesSoFar>) =>
    stagesSoFar(...args).map((s) => `${s.stage} ${s.state} ${s.text}`.trim());
  assert.deepEqual(words(null), ["policy ahead", "build ahead", "tests ahead", "benchmark ahead"]);
  const ok = (stage: Stage) => ({ stage, ok: true });
  assert.deepEqual(words([ok("policy"), ok("build"), ok("tests")]), [
    "policy ok ok",
    "build ok ok",
    "tests ok ok",
    "benchmark running measuring…",
  ]);
  assert.deepEqual(words([ok("policy"), { stage: "build", ok: false }]), [
    "policy ok ok",
    "build failed not yet",
    "tests ahead",
    "benchmark ahead",
  ]);
});

test("savings compared with the starter", () => {
  assert.equal(saved(PASS.benchmarks[0]!, EXERCISE.starter), "2 → 1 allocs/op, 112 → 64 B/op");
  assert.equal(saved({ ...PASS.benchmarks[0]!, name: "BenchmarkOther" }, EXERCISE.starter), null);
  const kept = { name: "B", allocs_per_op: 0, bytes_per_op: 0, live_bytes_per_op: 4133 };
  assert.equal(
    saved({ ...kept, allocs_per_op: 1, bytes_per_op: 32, live_bytes_per_op: 69 }, [kept]),
    "0 → 1 allocs/op, 0 → 32 B/op, 4133 → 69 live B/op",
  );
});

test("a missed target for live bytes", () => {
  const b = { ...PASS.benchmarks[0]!, live_bytes_per_op: 4133, target_live_bytes: 72 };
  assert.ok(missesLive(b));
  assert.equal(
    headline({ ...PASS, pass: false, stage: "benchmark", benchmarks: [{ ...b, pass: false }] }),
    "Not yet: 4133 live B/op, target 72",
  );
  assert.ok(!missesLive({ ...b, live_bytes_per_op: 72 }));
  assert.ok(!missesLive(PASS.benchmarks[0]!));
});

test("fewer and more than at the last check", () => {
  const at = (n: number) => [{ name: "B", allocs_per_op: n, bytes_per_op: 0 }];
  assert.equal(sinceLast(at(2), at(3)), "1 alloc/op fewer than at the last check (3 → 2)");
  assert.equal(sinceLast(at(3), at(1)), "2 allocs/op more than at the last check (1 → 3)");
  assert.equal(sinceLast(at(2), at(2)), null);
  assert.equal(sinceLast(at(2), []), null);
});

test("bars share a scale from zero", () => {
  assert.deepEqual(bar(2, 1, 2), { measured: 100, target: 50, starter: 100 });
  assert.deepEqual(bar(1, 2, null), { measured: 50, target: 100, starter: null });
  assert.deepEqual(bar(0, 0, 0), { measured: 0, target: 0, starter: 0 });
});
