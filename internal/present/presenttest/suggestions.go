package presenttest

import (
	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest"
)

// Suggestions returns a result with a suggestion of each outcome, whose text tries to be markup, and the source of its
// file.
func Suggestions() (r *suggest.Result, source func(file string) []byte) {
	saved := compare.Benchmark{Name: "BenchmarkF/<b>", Allocs: compare.Exact{Old: 8, New: 1, Delta: "-87.50%"},
		Bytes: compare.Exact{Old: 2040, New: 896, Delta: "-56.08%"},
		Ns: compare.Noisy{Old: compare.Sample{Median: 900, Range: "2%", N: 6}, New: compare.Sample{Median: 300,
			Range: "1%", N: 6}, Delta: "-66.67%", P: 0.002}}
	line := suggest.Line{File: "f.go", Line: 4, Func: "F", Code: "all = append(all, n)", Benchmark: "BenchmarkF/<b>",
		AllocsPerOp: 8, BytesPerOp: 2040, Why: "the array that append grows moves to the heap [x](y) {0}"}
	proven := suggest.Suggestion{
		ID: 1, Outcome: suggest.Proven, Rule: "preallocate", Title: "give a slice or a map its capacity",
		Message: "the loop appends len(numbers) elements to all: make room *for* them at once",
		Page:    "everyday-go/preallocate", Lines: []suggest.Line{line}, Benchmarks: []compare.Benchmark{saved},
		Tests: suggest.Tests{Names: []string{"TestA", "TestB", "TestC", "TestD"}, All: true, Count: 12, Race: true,
			Inputs: 200},
		Together: true,
		Changes:  []suggest.Change{{File: "f.go", Start: 3, End: 3, Text: "\tall = slices.Grow(all, len(numbers))\n"}},
		Diff: "--- a/f.go\n+++ b/f.go\n" +
			"@@ -2,2 +2,3 @@\n \tvar all []int\n+\tall = slices.Grow(all, len(numbers))\n ```\n",
	}
	unproven := proven
	unproven.ID, unproven.Outcome, unproven.Why = 2, suggest.Unproven, "no test executes what it changes"
	unproven.Rule, unproven.Assumes = "pool-buffer", "The Writer keeps nothing of what it is given."
	unproven.Title, unproven.Page = "use the buffer of an earlier Write again", "heap-optimization/sync-pool"
	unproven.Tests, unproven.Together = suggest.Tests{Names: []string{}}, false
	rejected := proven
	rejected.ID, rejected.Outcome, rejected.Stage = 3, suggest.Rejected, suggest.StageTests
	rejected.Why, rejected.Together = "the tests fail: TestA", false
	r = &suggest.Result{
		Schema: suggest.Schema, Package: "example.com/f", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64",
		Benchmarks:  []suggest.Figure{{Name: "BenchmarkF/<b>", AllocsPerOp: 8, BytesPerOp: 2040}},
		Suggestions: []suggest.Suggestion{proven, unproven}, Rejected: []suggest.Suggestion{rejected},
		Together: &suggest.Combination{IDs: []int{1}, Benchmarks: []compare.Benchmark{saved}, Diff: proven.Diff},
		Notes:    []string{"go vet reports problems in the package as it is, so it was not asked about the edits"},
	}
	text := []byte("func F(numbers []int) []int {\n\tvar all []int\n\tfor _, n := range numbers {\n" +
		"\t\tall = append(all, n)\n\t}\n\treturn all\n}\n")
	return r, func(string) []byte { return text }
}
