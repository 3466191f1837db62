// An exercise and the verdicts that a runner could give on it. Lines are found by their
// text, so the source can be edited without counting.

import type { Verdict } from "../../src/go/runner.ts";

export const STARTER = `package stream

import (
	"bytes"
	"io"
)

// Replace appends data to output, with repl in place of every find.
func Replace(data, find, repl []byte, output *bytes.Buffer) {
	if len(find) == 0 {
		output.Write(data)
		return
	}

	input := bytes.NewBuffer(data)
	window := make([]byte, len(find)) // the part of the stream that is compared
	held := 0                         // bytes of the window that are read already

	for {
		n, err := io.ReadFull(input, window[held:])
		held += n
		if err != nil {
			// The stream ended inside the window: no find fits anymore.
			output.Write(window[:held])
			return
		}

		if bytes.Equal(window, find) {
			output.Write(repl)
			held = 0
			continue
		}

		// No find begins at the front byte: let it go, move up the others.
		output.WriteByte(window[0])
		held = copy(window, window[1:])
	}
}
`;

export const SOLUTION = STARTER.replace('\t"io"\n', "")
  .replace("io.ReadFull(input, window[held:])", "input.Read(window[held:])")
  .replace("if err != nil {", "if err != nil || held < len(window) {");

export function lineOf(source: string, text: string): number {
  const at = source.indexOf(text);
  if (at < 0) throw new Error(`no ${text} in the source`);
  return source.slice(0, at).split("\n").length;
}

function columnOf(source: string, text: string): number {
  const at = source.indexOf(text);
  return at - source.lastIndexOf("\n", at - 1);
}

export const EXERCISE = {
  exercise: "exercise6",
  title: "Hand back the interface",
  file: "stream.go",
  files: { "stream.go": STARTER },
  hints: [
    "Two lines of Replace make a value that `escapes to heap`. Follow both flows to their last step: " +
      "they end on the same line.",
    "io.ReadFull takes an io.Reader. Any type may stand behind that interface, " +
      "so the compiler has to assume that it keeps what it gets.",
    "A *bytes.Buffer has a Read method of its own: `input.Read(window[held:])`. Read promises less than ReadFull.",
  ],
  starter: [{ name: "BenchmarkReplace", allocs_per_op: 2, bytes_per_op: 112 }],
  function: "Replace",
  teaches: "A call of the concrete type's own method lets a value stay on the stack.",
  all: [
    { exercise: "exercise6", title: "Hand back the interface", href: "#exercise6" },
    { exercise: "exercise7", title: "Know the size", href: "#exercise7" },
  ],
  tests: { href: "widgets/exercises/exercise6.tests.json?v=0123456789", files: ["stream_test.go", "bench_test.go"] },
  solution: "widgets/exercises/exercise6.solution.json?v=0123456789",
};

export const TESTS = {
  files: {
    "stream_test.go":
      `package stream_test\n${"\n// A line of the tests.".repeat(56)}\n` + "func TestNearMiss(t *testing.T) {}\n",
    "bench_test.go": "package stream_test\n\nfunc BenchmarkReplace(b *testing.B) {}\n",
  },
};

const base: Verdict = {
  schema: "checkalloc/verdict/1",
  exercise: "exercise6",
  title: EXERCISE.title,
  package: "",
  estimated: "",
  go: "go1.26.8",
  goos: "wasip1",
  goarch: "wasm",
  engine: "wasm",
  pass: false,
  provisional: "",
  note: "",
  stage: "",
  errors: [],
  tests: { run: 6, failed: 0, output: "", race: "", race_why: "", incomplete: false },
  benchmarks: [],
  not_measured: [],
  allocations: [],
  inside: [],
  escapes: [],
  advice: [],
  set_aside: [],
};

const read = lineOf(STARTER, "io.ReadFull(");
const make = lineOf(STARTER, "bytes.NewBuffer");

/** The starter: two allocations. */
export const TWO_ALLOCATIONS: Verdict = {
  ...base,
  stage: "benchmark",
  benchmarks: [
    {
      name: "BenchmarkReplace",
      n: 1000,
      confirmed: 0,
      confirms: "",
      ns_per_op: 31250.5,
      ns_samples: [],
      bytes_per_op: 112,
      allocs_per_op: 2,
      target_allocs: 1,
      target_bytes: 64,
      pass: false,
      why: "",
    },
  ],
  allocations: [
    {
      benchmark: "BenchmarkReplace",
      package: "",
      file: "stream.go",
      line: make,
      func: "Replace",
      code: "input := bytes.NewBuffer(data)",
      allocs_per_op: 1,
      bytes_per_op: 48,
      shared: false,
      why: "the bytes.Buffer moves to the heap",
      callees: [],
      reasons: [
        {
          line: make,
          col: 26,
          message: "&bytes.Buffer{...} escapes to heap",
          why: "the bytes.Buffer moves to the heap",
          flow: [
            {
              file: "stream.go",
              line: make,
              col: 26,
              message: "NewBuffer is inlined: this line makes the Buffer itself",
              text: "from &bytes.Buffer{...} (spill)",
            },
            {
              file: "stream.go",
              line: read,
              col: 26,
              message: "stored in an io.Reader here",
              text: "from input (interface-converted)",
            },
            {
              file: "stream.go",
              line: read,
              col: 24,
              message: "passed to io.ReadAtLeast, which keeps it",
              text: "from io.ReadAtLeast(io.r, io.buf, len(io.buf)) (call parameter)",
            },
          ],
        },
      ],
    },
    {
      benchmark: "BenchmarkReplace",
      package: "",
      file: "stream.go",
      line: make + 1,
      func: "Replace",
      code: "window := make([]byte, len(find)) // the part of the stream that is compared",
      allocs_per_op: 1,
      bytes_per_op: 64,
      shared: false,
      why: "the slice's array moves to the heap",
      callees: [],
      reasons: [
        {
          line: make + 1,
          col: 16,
          message: "make([]byte, len(find)) escapes to heap",
          why: "the slice's array moves to the heap",
          flow: [
            {
              file: "stream.go",
              line: read,
              col: 24,
              message: "passed to io.ReadAtLeast, which keeps it",
              text: "from io.ReadAtLeast(io.r, io.buf, len(io.buf)) (call parameter)",
            },
          ],
        },
      ],
    },
  ],
  escapes: [
    {
      file: "stream.go",
      line: lineOf(STARTER, "func Replace"),
      col: 14,
      kind: "stays",
      message: "find does not escape",
      flow: [],
    },
    {
      file: "stream.go",
      line: lineOf(STARTER, "func Replace"),
      col: 37,
      kind: "leak",
      message: "leaking param content: output",
      flow: [],
    },
    { file: "stream.go", line: make, col: 26, kind: "inline", message: "inlining call to bytes.NewBuffer", flow: [] },
    { file: "stream.go", line: make, col: 26, kind: "escape", message: "&bytes.Buffer{...} escapes to heap", flow: [] },
    {
      file: "stream.go",
      line: make + 1,
      col: 16,
      kind: "escape",
      message: "make([]byte, len(find)) escapes to heap",
      flow: [],
    },
    { file: "stream.go", line: read, col: 24, kind: "inline", message: "inlining call to io.ReadFull", flow: [] },
  ],
  advice: [
    {
      kind: "end",
      file: "stream.go",
      line: read,
      text: `2 of these values get to the heap on line ${read}: a change there helps all of them.`,
      command: "",
      mistake: "",
    },
  ],
};

/** The same figures, with code that has a likely mistake. */
export const MISTAKEN: Verdict = {
  ...TWO_ALLOCATIONS,
  advice: [
    {
      kind: "mistake",
      file: "stream.go",
      line: 0,
      text: "A value in place of the pointer. The variable goes where its address goes: `moved to heap`.",
      command: "",
      mistake: "a-value",
    },
    ...TWO_ALLOCATIONS.advice,
  ],
};

const { target_allocs: _allocs, target_bytes: _bytes, ...untargeted } = TWO_ALLOCATIONS.benchmarks[0]!;

/** The same code as a listing of a chapter, which has a verdict without targets. */
export const EXPLAINED: Verdict = {
  ...TWO_ALLOCATIONS,
  exercise: "",
  title: "memory-profiling/listings/interface",
  pass: true,
  stage: "",
  benchmarks: [{ ...untargeted, pass: true }],
  advice: [],
};

/** The solution: one allocation is left, which the target allows. */
export const PASS: Verdict = {
  ...base,
  pass: true,
  benchmarks: [{ ...TWO_ALLOCATIONS.benchmarks[0]!, allocs_per_op: 1, bytes_per_op: 64, pass: true }],
  allocations: [
    {
      ...TWO_ALLOCATIONS.allocations[1]!,
      line: lineOf(SOLUTION, "window := make"),
      why: "does not escape, yet allocates: its size is known only at run time",
      reasons: [],
    },
  ],
};

export const BROKEN = STARTER.replace("held += n", "held += n + missing");

/** BROKEN: a name that does not exist. */
export const BUILD_ERROR: Verdict = {
  ...base,
  stage: "build",
  tests: { run: 0, failed: 0, output: "", race: "", race_why: "", incomplete: false },
  errors: [
    {
      file: "stream.go",
      line: lineOf(BROKEN, "missing"),
      col: columnOf(BROKEN, "missing"),
      message: "undefined: missing",
    },
    { file: "stream_test.go", line: 15, col: 3, message: "not enough arguments in call to stream.Replace" },
  ],
  advice: [
    {
      kind: "build",
      file: "stream.go",
      line: lineOf(BROKEN, "missing"),
      text: `correct line ${lineOf(BROKEN, "missing")} of stream.go.`,
      command: "",
      mistake: "",
    },
  ],
};

/** An import that the code does not use any more. */
export const UNUSED_IMPORT: Verdict = {
  ...BUILD_ERROR,
  errors: [{ file: "stream.go", line: 5, col: 2, message: '"io" imported and not used' }],
  advice: [
    {
      kind: "imports",
      file: "stream.go",
      line: 5,
      text: "remove the import of `io` on line 5: the code does not use it any more.",
      command: "",
      mistake: "",
    },
  ],
};

export const FAILED_TESTS: Verdict = {
  ...base,
  stage: "tests",
  tests: {
    run: 6,
    failed: 2,
    race: "",
    race_why: "",
    incomplete: false,
    output:
      '--- FAIL: TestNearMiss (0.00s)\n    stream_test.go:58: wrong output, from byte 1 on\n          data: "aaab"\n' +
      '          find: "aab"\n          got:  "aaab"\n          want: "a-"\n' +
      "    feed_test.go:33: to repeat these inputs: SEED=8142\n" +
      "--- FAIL: TestEnd (0.00s)\n    stream_test.go:71: the last 3 bytes are missing\nFAIL\n",
  },
  advice: [
    {
      kind: "tests",
      file: "",
      line: 0,
      text: "make the tests pass again.",
      command: "go test ./exercises/exercise6",
      mistake: "",
    },
  ],
};

export const PROGRAM = {
  body:
    'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\n' +
    'func main() {\n\tfmt.Println("one")\n\tfmt.Fprintln(os.Stderr, "two")\n\tos.Exit(3)\n}\n',
};

/** The file that the book's build writes for the solution. */
export const SOLUTION_FILE = {
  files: { "stream.go": SOLUTION.replace("\tinput := ", "\t// The solution's own words.\n\tinput := ") },
  mistakes: [
    {
      name: "a-value",
      title: "A value in place of the pointer",
      why: "`input` is a pointer, and pointers escape.",
      say: "The variable goes where its address goes.",
      diff: " -1,2 +1,2 \n \n-\tinput := bytes.NewBuffer(data)\n+\tinput := *bytes.NewBuffer(data)\n",
    },
  ],
};

/** The policy refuses an import, so the compiler did not run. */
export const POLICY_ERROR: Verdict = {
  ...base,
  go: "",
  goos: "",
  goarch: "",
  stage: "policy",
  tests: { run: 0, failed: 0, output: "", race: "", race_why: "", incomplete: false },
  errors: [{ file: "stream.go", line: 4, col: 2, message: "this exercise does not allow unsafe" }],
};

/** The part that the page shows. */
export const PROGRAM_REGION = PROGRAM.body.slice(PROGRAM.body.indexOf("func main"));

export const PROGRAM_RUN = {
  Errors: "",
  Events: [
    { Message: "one\n", Kind: "stdout", Delay: 0 },
    { Message: "two\n", Kind: "stderr", Delay: 200_000_000 },
  ],
  Status: 3,
  IsTest: false,
  TestsFailed: 0,
  VetErrors: "",
  VetOK: true,
};

const out = lineOf(PROGRAM.body, "fmt.Println");

/** The compiler's escape report on PROGRAM. */
export const PROGRAM_REPORT = {
  escapes: [
    { file: "prog.go", line: out, col: 13, kind: "inline", message: "inlining call to fmt.Println" },
    { file: "prog.go", line: out, col: 13, kind: "stays", message: "... argument does not escape" },
    {
      file: "prog.go",
      line: out,
      col: 14,
      kind: "escape",
      message: '"one" escapes to heap',
      flow: [
        {
          file: "prog.go",
          line: out,
          col: 14,
          message: "",
          text: 'flow: {storage for ... argument} ← &{storage for "one"}:',
        },
        {
          file: "prog.go",
          line: out,
          col: 13,
          message: "passed to fmt.Fprintln, which keeps it",
          text: "from fmt.Fprintln(os.Stdout, fmt.a...) (call parameter)",
        },
      ],
    },
    {
      file: "prog.go",
      line: lineOf(PROGRAM.body, "os.Stderr"),
      col: 14,
      kind: "stays",
      message: "... argument does not escape",
    },
  ],
  errors: "",
};
