// Figures and stages in words.

import type { Measured } from "../go/exercise.ts";
import {
  STAGE_NOT_REACHED,
  STAGE_NOT_YET,
  STAGE_OK,
  STAGES,
  type Benchmark,
  type Stage,
  type Verdict,
} from "../go/runner.ts";

/**
 * Rounds allocations per operation for display, as FormatCount does in internal/why/format.go: a whole number has no
 * decimals, and another one has enough digits to tell it from a whole number. The result is 0 only if nothing was
 * allocated.
 */
export function count(n: number): string {
  const whole = Math.round(n);
  let rounded = whole;
  for (let digits = 1; digits <= 4; digits++) {
    if (rounded === n || (rounded !== whole && Math.abs(rounded - n) <= 0.05 * Math.abs(n))) break;
    rounded = Math.round(n * 10 ** digits) / 10 ** digits;
  }
  return String(rounded === 0 && n !== 0 ? Number(n.toPrecision(1)) : rounded);
}

/** Rounds bytes per operation for display, as FormatBytes does: to whole bytes, and below one byte as count does. */
export function size(n: number): string {
  return n >= 1 ? String(Math.round(n)) : count(n);
}

/** Returns the unit for a number of allocations, as it is shown. */
export function allocsUnit(n: number): string {
  return count(n) === "1" ? "alloc/op" : "allocs/op";
}

export function allocsPerOp(n: number): string {
  return `${count(n)} ${allocsUnit(n)}`;
}

export function bytesPerOp(n: number): string {
  return `${size(n)} B/op`;
}

/** Returns "1 alloc/op, 48 B/op". */
export function cost(of: { allocs_per_op: number; bytes_per_op: number }): string {
  return `${allocsPerOp(of.allocs_per_op)}, ${bytesPerOp(of.bytes_per_op)}`;
}

export type StageState = "ok" | "failed" | "unreached" | "running" | "ahead";

export interface StageWords {
  stage: Stage;
  state: StageState;
  text: string;
}

/** Returns the stages in order, each with its state in a verdict. */
export function stages(v: Verdict): StageWords[] {
  const failedAt = v.stage === "" ? STAGES.length : STAGES.indexOf(v.stage);
  return STAGES.map((stage, i) => {
    const state = i < failedAt ? "ok" : i === failedAt ? "failed" : "unreached";
    if (state !== "unreached" && stage === "tests" && v.tests.run > 0) {
      const passed = `${v.tests.run - v.tests.failed} of ${v.tests.run}`;
      return { stage, state, text: state === "ok" ? passed : `${passed} passed` }; // the headline counts the failed ones
    }
    return { stage, state, text: STATE_WORDS[state] };
  });
}

/** The words for a stage that is over, and for one that a check never reached, as in the terminal. */
const STATE_WORDS = { ok: STAGE_OK, failed: STAGE_NOT_YET, unreached: STAGE_NOT_REACHED };

const RUNNING: Record<Stage, string> = {
  policy: "reading…",
  build: "building…",
  tests: "running…",
  benchmark: "measuring…",
};

/** Returns the stages of a running check of which some are over; null if none is known to have begun. */
export function stagesSoFar(over: readonly { stage: Stage; ok: boolean }[] | null): StageWords[] {
  const failed = over?.some((o) => !o.ok) ?? false;
  const next = STAGES.find((stage) => !over?.some((o) => o.stage === stage));
  return STAGES.map((stage) => {
    const done = over?.find((o) => o.stage === stage);
    if (done) {
      const state = done.ok ? "ok" : "failed";
      return { stage, state, text: STATE_WORDS[state] };
    }
    if (over && !failed && stage === next) return { stage, state: "running", text: RUNNING[stage] };
    return { stage, state: "ahead", text: "" };
  });
}

/** Returns the verdict in a few words. */
export function headline(v: Verdict): string {
  switch (v.stage) {
    case "":
      return v.provisional === "" ? "Passed" : "Passed, provisionally";
    case "policy":
      return "Uses what this exercise does not allow";
    case "build":
      return "Does not compile";
    case "tests":
      if (v.tests.failed === 0 || v.tests.incomplete) return "The tests did not finish";
      return `${v.tests.failed} of ${v.tests.run} ${v.tests.run === 1 ? "test fails" : "tests fail"}`;
    case "benchmark": {
      const miss = v.benchmarks.find((b) => !b.pass);
      return miss ? `Not yet: ${missText(miss)}` : "The benchmark did not finish";
    }
  }
}

function missText(b: Benchmark): string {
  if (b.why !== "") return "memory is allocated ahead for later operations";
  if (b.target_allocs !== undefined && b.allocs_per_op > b.target_allocs) {
    const shown = exactly(b.allocs_per_op, b.target_allocs, count);
    return `${shown} ${shown === "1" ? "alloc/op" : "allocs/op"}, target ${count(b.target_allocs)}`;
  }
  if (b.target_bytes !== undefined && b.bytes_per_op > b.target_bytes) {
    return `${exactly(b.bytes_per_op, b.target_bytes, size)} B/op, target ${size(b.target_bytes)}`;
  }
  if (missesLive(b)) return `${size(b.live_bytes_per_op!)} live B/op, target ${size(b.target_live_bytes!)}`;
  return `${b.name} misses its target`;
}

/** Reports whether an operation leaves more bytes in use than the target allows. */
export function missesLive(b: Benchmark): boolean {
  return (
    b.live_bytes_per_op !== undefined && b.target_live_bytes !== undefined && b.live_bytes_per_op > b.target_live_bytes
  );
}

/** Rounds n, unless a missed target would then look like a met one, as FormatAgainst does. */
export function exactly(n: number, target: number, round: (n: number) => string): string {
  const shown = round(n);
  return n > target && shown === round(target) ? String(n) : shown;
}

/** Returns "2 → 1 allocs/op, 112 → 48 B/op", or null if the starter was not measured. */
export function saved(b: Measured, starter: readonly Measured[]): string | null {
  const before = starter.find((s) => s.name === b.name);
  if (!before) return null;
  return (
    `${count(before.allocs_per_op)} → ${count(b.allocs_per_op)} allocs/op, ` +
    `${size(before.bytes_per_op)} → ${bytesPerOp(b.bytes_per_op)}` +
    (before.live_bytes_per_op !== undefined && b.live_bytes_per_op !== undefined
      ? `, ${size(before.live_bytes_per_op)} → ${size(b.live_bytes_per_op)} live B/op`
      : "")
  );
}

/**
 * Returns a comparison with the last check that measured any allocations, or null if the benchmarks differ or the sums
 * are equal.
 */
export function sinceLast(now: readonly Measured[], last: readonly Measured[]): string | null {
  let before = 0;
  let after = 0;
  for (const b of now) {
    const l = last.find((m) => m.name === b.name);
    if (!l) return null;
    before += l.allocs_per_op;
    after += b.allocs_per_op;
  }
  const change = count(Math.abs(after - before));
  if (change === "0") return null;
  const direction = after < before ? "fewer" : "more";
  const changed = `${change} ${allocsUnit(Math.abs(after - before))} ${direction}`;
  return `${changed} than at the last check (${count(before)} → ${count(after)})`;
}

/** Positions along a track, from 0 to 100. */
export interface Bar {
  measured: number;
  target: number;
  starter: number | null;
}

/** Returns the positions of a measurement, its target and the starter on a common scale that begins at zero. */
export function bar(measured: number, target: number, starter: number | null): Bar {
  const end = Math.max(measured, target, starter ?? 0);
  const at = (n: number) => (end === 0 ? 0 : (100 * n) / end);
  return { measured: at(measured), target: at(target), starter: starter === null ? null : at(starter) };
}
