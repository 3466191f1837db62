package advice

import (
	"fmt"
	"slices"

	"onthestack/internal/escape"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// benchmark returns what to do after a benchmark that did not finish or that missed a target. Of the remedies of an
// allocation, it names those that the exercise practices, because others would lead away from what its hints and its
// solution do. If it practices none, the compiler may have something to say about one of the lines. Where nothing leads
// further, the Advice has no kind.
func benchmark(e *exercise.Exercise, v *verdict.Verdict) verdict.Advice {
	if v.Tests.Output != "" {
		return verdict.Advice{Kind: verdict.AdviseBenchmark, Text: "make the benchmark finish.",
			Command: "go test -timeout 10s -run '^$' -bench . -benchtime 1000x " + folder(e)}
	}
	for _, b := range v.Benchmarks {
		if a, ok := missed(v, b); ok {
			return a
		}
	}
	if step, flows := commonEnd(v.Allocations); flows > 1 {
		return verdict.Advice{Kind: verdict.AdviseEnd, File: step.File, Line: step.Line, Text: fmt.Sprintf(
			"%d of these values get to the heap on line %d: a change there helps all of them.", flows, step.Line)}
	}
	for _, a := range v.Allocations {
		if remedies := why.RemediesOf(a.Kind, a.Callees, e.Techniques); remedies != "" {
			return verdict.Advice{Kind: verdict.AdviseRemedy, File: a.File, Line: a.Line,
				Text: fmt.Sprintf("%s: %s", place(e, a), remedies)}
		}
	}
	if len(v.Allocations) == 0 {
		return verdict.Advice{Kind: verdict.AdviseElsewhere, Text: "no counted allocation was made by one of your " +
			"lines, or by a function that they call: look for a goroutine that your code starts."}
	}
	for _, a := range v.Allocations {
		if len(a.Reasons) > 0 {
			return verdict.Advice{Kind: verdict.AdviseReport, File: a.File, Line: a.Line,
				Text:    fmt.Sprintf("read what the compiler says around %s.", place(e, a)),
				Command: "go build -gcflags=-m=2 " + folder(e)}
		}
	}
	return verdict.Advice{}
}

// place names the line of an allocation, and its file if that is not one to edit.
func place(e *exercise.Exercise, a verdict.Allocation) string {
	if slices.Contains(e.Edit, a.File) {
		return fmt.Sprintf("line %d", a.Line)
	}
	return fmt.Sprintf("line %d of %s", a.Line, a.File)
}

// missed returns what to do about a benchmark that missed a target other than the one for allocs/op.
func missed(v *verdict.Verdict, b verdict.Benchmark) (a verdict.Advice, ok bool) {
	switch {
	case b.Why != "":
		return verdict.Advice{Kind: verdict.AdviseAhead, Text: "do not allocate memory ahead for later operations: let " +
			"all operations reuse the same memory."}, true
	case b.Pass || b.TargetAllocs != nil && b.AllocsPerOp > *b.TargetAllocs:
		return a, false
	case b.TargetBytes != nil && b.BytesPerOp > *b.TargetBytes:
		return smaller(v, b), true
	case b.MissesLive():
		return verdict.Advice{Kind: verdict.AdviseLive, Text: fmt.Sprintf("live B/op must go down from %s to %s: look for "+
			"a result that is a part of something longer, which it keeps in memory as a whole.",
			verdict.FormatBytes(*b.LiveBytesPerOp), verdict.FormatBytes(*b.TargetLiveBytes))}, true
	}
	return a, false
}

// smaller returns what to do about a benchmark that allocates seldom enough and too many bytes.
func smaller(v *verdict.Verdict, b verdict.Benchmark) verdict.Advice {
	const goal = "allocs/op meet their target, so the objects must become smaller: "
	var most verdict.Allocation
	for _, a := range v.Allocations {
		if a.Benchmark == b.Name && a.BytesPerOp > most.BytesPerOp {
			most = a
		}
	}
	if most.Line == 0 {
		return verdict.Advice{Kind: verdict.AdviseBytes,
			Text: goal + fmt.Sprintf("by %s B/op.", verdict.FormatBytes(b.BytesPerOp-*b.TargetBytes))}
	}
	return verdict.Advice{Kind: verdict.AdviseBytes, File: most.File, Line: most.Line, Text: goal + fmt.Sprintf(
		"line %d makes %s of the bytes.", most.Line, verdict.FormatShare(min(1, most.BytesPerOp/b.BytesPerOp)))}
}

// commonEnd returns the step on which most flows end, and their number. Where flows end together, one change may cure
// all.
func commonEnd(allocations []verdict.Allocation) (most escape.Step, count int) {
	ends, counted := map[string]int{}, map[string]bool{}
	for _, a := range allocations {
		for _, r := range a.Reasons {
			if len(r.Flow) == 0 {
				continue
			}
			end := r.Flow[len(r.Flow)-1]
			at := fmt.Sprintf("%s:%d", end.File, end.Line)
			// A value has several allocations if the function that it is made in was inlined in several places.
			value := fmt.Sprintf("%q %s:%d:%d:%d %q %s", a.Benchmark, a.File, a.Line, r.Line, r.Col, r.Message, at)
			if counted[value] {
				continue
			}
			counted[value] = true
			if ends[at]++; ends[at] > count {
				count, most = ends[at], end
			}
		}
	}
	return most, count
}
