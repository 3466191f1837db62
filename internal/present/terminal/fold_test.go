package terminal

import (
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestFold proves that the notes of lines that are alike are written once, unless all are asked for.
func TestFold(t *testing.T) {
	at := func(line int, name, why string, end int) verdict.Allocation {
		return verdict.Allocation{Benchmark: "BenchmarkA", File: "a.go", Line: line, Func: name, Code: "x()", AllocsPerOp: 1,
			BytesPerOp: 16, Why: why, Reasons: []verdict.Reason{{Line: line, Flow: []escape.Step{
				{File: "a.go", Line: line, Message: "f is inlined"}, {File: "a.go", Line: end, Message: "x is returned"}}}}}
	}
	const grows = "the array that append grows moves to the heap"
	v := &verdict.Verdict{Exercise: "exercise6", Title: "T", Stage: verdict.StageBenchmark,
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkA", AllocsPerOp: 7, BytesPerOp: 112}},
		Allocations: []verdict.Allocation{at(10, "F", grows, 50), at(20, "F", grows, 50), at(20, "F.func1", grows, 50),
			at(30, "F", grows, 50), at(40, "F", grows, 60), at(45, "F", "the variable x moves to the heap", 50),
			at(70, "G", grows, 50)}}
	text := plain(v, Options{Width: 80, Command: "checkalloc", Fold: true})
	within(t, text, 80)
	want := "       ╰ 1 alloc/op, 16 B/op   " + grows + `
           10  f is inlined
           50  x is returned
         the same on lines 20 and 30: 3 allocs/op, 48 B/op
`
	if !strings.Contains(text, want) {
		t.Errorf("it does not have\n%s\n%s", want, text)
	}
	if n := strings.Count(text, "╰"); n != 4 { // lines 10, 40 and 45, and line 70 of another function
		t.Errorf("%d notes, want 4:\n%s", n, text)
	}
	// The copies of a line are one block in any case.
	text = plain(v, Options{Width: 80, Command: "checkalloc"})
	if n := strings.Count(text, "╰"); n != 6 || strings.Contains(text, "the same on") ||
		!strings.Contains(text, "╰ 2 allocs/op, 32 B/op") {
		t.Errorf("%d notes, want 6:\n%s", n, text)
	}
}
