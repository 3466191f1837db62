// The verdict as the checker writes it: schema checkalloc/verdict/1.
// Lines and columns count from 1; columns count bytes, as the compiler does.

export type Stage = "policy" | "build" | "tests" | "benchmark";

export const STAGES: readonly Stage[] = ["policy", "build", "tests", "benchmark"];

/** An error of the policy or build stage. Line 0: about the whole file. */
export interface SourceError {
  file: string;
  line: number;
  col: number;
  message: string;
}

export interface Tests {
  run: number;
  failed: number;
  output: string;
  /** Under the race detector: "passed", "failed", or "not run: " and why; "" where the exercise does not ask for it. */
  race: string;
}

export interface Benchmark {
  name: string;
  n: number;
  /** The operations over which the targets were met again; 0 where one was missed, or there is none. */
  confirmed: number;
  ns_per_op: number;
  bytes_per_op: number;
  allocs_per_op: number;
  /** Targets, at most; absent where nothing was asked for. */
  target_allocs?: number;
  target_bytes?: number;
  pass: boolean;
  /** Why figures that meet their targets do not pass; "" otherwise. */
  why: string;
}

/** One step of the way by which a value reaches the heap. */
export interface FlowStep {
  file: string;
  line: number;
  col: number;
  /** In words; "" where the step tells a person nothing new. */
  message: string;
  /** The compiler's own words. */
  text: string;
}

export interface Reason {
  line: number;
  col: number;
  /** The compiler's. */
  message: string;
  /** In words. */
  why: string;
  flow: FlowStep[];
}

/** What one line of the solver's allocates in one benchmark, callees' allocations included. */
export interface Allocation {
  benchmark: string;
  file: string;
  line: number;
  func: string;
  code: string;
  allocs_per_op: number;
  bytes_per_op: number;
  /** The split between this line and others that allocate tiny objects is by blocks; only their sum is exact. */
  shared: boolean;
  /** One clause in words. */
  why: string;
  /** The functions that the allocation happened in, outermost first. */
  callees: string[];
  reasons: Reason[];
}

export type EscapeKind = "escape" | "moved" | "leak" | "stays" | "inline" | "note";

/** One thing the compiler said. */
export interface Escape {
  file: string;
  line: number;
  col: number;
  kind: EscapeKind;
  message: string;
  flow: FlowStep[];
}

export interface Verdict {
  schema: string;
  /** "" where a package was explained rather than an exercise checked. */
  exercise: string;
  title: string;
  go: string;
  goos: string;
  goarch: string;
  engine: string;
  pass: boolean;
  /** Why a pass is provisional: the race detector, which the exercise asks for, did not run. "" for any other verdict. */
  provisional: string;
  /** The first stage that failed; "" when all passed. */
  stage: Stage | "";
  errors: SourceError[];
  tests: Tests;
  benchmarks: Benchmark[];
  allocations: Allocation[];
  escapes: Escape[];
  /** Files that differ from the pristine ones or were added, and were ignored. */
  set_aside: string[];
}

export const SCHEMA = "checkalloc/verdict/1";

type Fields = Record<string, unknown>;

/**
 * Reads a verdict from parsed JSON, or null when it is not one of this schema.
 * Absent and null lists come out empty: a Go program writes an empty slice either way.
 */
export function readVerdict(json: unknown): Verdict | null {
  if (!isFields(json) || json["schema"] !== SCHEMA) return null;
  const stage = text(json["stage"]);
  if (stage !== "" && !STAGES.includes(stage as Stage)) return null;
  const tests = isFields(json["tests"]) ? json["tests"] : {};
  return {
    schema: SCHEMA,
    exercise: text(json["exercise"]),
    title: text(json["title"]),
    go: text(json["go"]),
    goos: text(json["goos"]),
    goarch: text(json["goarch"]),
    engine: text(json["engine"]),
    pass: json["pass"] === true,
    provisional: text(json["provisional"]),
    stage: stage as Stage | "",
    errors: list(json["errors"]).map((e) => ({ ...position(e), message: text(e["message"]) })),
    tests: { run: number(tests["run"]), failed: number(tests["failed"]), output: text(tests["output"]), race: text(tests["race"]) },
    benchmarks: list(json["benchmarks"]).map(readBenchmark),
    allocations: list(json["allocations"]).map((a) => ({
      benchmark: text(a["benchmark"]),
      file: text(a["file"]),
      line: number(a["line"]),
      func: text(a["func"]),
      code: text(a["code"]),
      allocs_per_op: number(a["allocs_per_op"]),
      bytes_per_op: number(a["bytes_per_op"]),
      shared: a["shared"] === true,
      why: text(a["why"]),
      callees: texts(a["callees"]),
      reasons: list(a["reasons"]).map((r) => ({
        line: number(r["line"]),
        col: number(r["col"]),
        message: text(r["message"]),
        why: text(r["why"]),
        flow: list(r["flow"]).map(readStep),
      })),
    })),
    escapes: readEscapes(json["escapes"]),
    set_aside: texts(json["set_aside"]),
  };
}

/** Reads what the compiler said, as it stands in a verdict and in a report by itself. */
export function readEscapes(json: unknown): Escape[] {
  return list(json).map((e) => ({
    ...position(e),
    kind: text(e["kind"]) as EscapeKind,
    message: text(e["message"]),
    flow: list(e["flow"]).map(readStep),
  }));
}

function readBenchmark(b: Fields): Benchmark {
  const allocs = b["target_allocs"];
  const bytes = b["target_bytes"];
  return {
    name: text(b["name"]),
    n: number(b["n"]),
    confirmed: number(b["confirmed"]),
    ns_per_op: number(b["ns_per_op"]),
    bytes_per_op: number(b["bytes_per_op"]),
    allocs_per_op: number(b["allocs_per_op"]),
    ...(typeof allocs === "number" ? { target_allocs: allocs } : {}),
    ...(typeof bytes === "number" ? { target_bytes: bytes } : {}),
    pass: b["pass"] === true,
    why: text(b["why"]),
  };
}

function readStep(s: Fields): FlowStep {
  return { ...position(s), message: text(s["message"]), text: text(s["text"]) };
}

function position(f: Fields): { file: string; line: number; col: number } {
  return { file: text(f["file"]), line: number(f["line"]), col: number(f["col"]) };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((v) => typeof v === "string") : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
