package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Next writes the next step after a failed check, and the command for a hint.
func Next(w io.Writer, v *verdict.Verdict, o Options) {
	Step(w, v, o)
	fmt.Fprint(w, indent(2, "Hint: "+present.Command(o.Command+" hint "+v.Exercise), o.Width))
}

// Step writes the next step after a failed check.
func Step(w io.Writer, v *verdict.Verdict, o Options) {
	fmt.Fprint(w, indent(2, "Next: "+printable.Clean(next(v, o.Techniques)), o.Width))
}

// next returns the next step after a failed check as a sentence. Of the remedies of an allocation, it names those that
// the exercise practices, since others would lead away from what its hints and its solution do.
func next(v *verdict.Verdict, techniques []string) string {
	dir := "./exercises/" + v.Exercise
	switch v.Stage {
	case verdict.StagePolicy:
		if p := v.Errors[0]; p.Line == 0 { // the file is missing, or cannot be read
			return "correct " + p.File + " first, as described above."
		}
		return "remove what the policy refuses; a solution does not need it."
	case verdict.StageBuild:
		p := v.Errors[0]
		if strings.HasSuffix(p.File, "_test.go") {
			return "keep the names and parameters that the starter has: the tests call them."
		}
		if p.Stopped {
			return "give the compiler less to do: the build reached the limit named above."
		}
		if p.Line > 0 {
			return fmt.Sprintf("correct line %d of %s.", p.Line, p.File)
		}
		return "correct the errors that the compiler reports."
	case verdict.StageTests:
		if v.Tests.Unfinished {
			return "find the code that does not end, or that ends the program: " +
				present.Command("go test -timeout 10s "+dir) + " prints its line."
		}
		return "make the tests pass again: " + present.Command("go test "+dir)
	}
	if v.Tests.Output != "" {
		return "make the benchmark finish: " +
			present.Command("go test -timeout 10s -run '^$' -bench . -benchtime 1000x "+dir)
	}
	for _, b := range v.Benchmarks {
		if b.Why != "" {
			return "do not allocate memory ahead for later operations: let all operations reuse the same memory."
		}
		if b.Pass || b.TargetAllocs != nil && b.AllocsPerOp > *b.TargetAllocs {
			continue
		}
		if b.TargetBytes != nil && b.BytesPerOp > *b.TargetBytes {
			return smaller(v, b)
		}
		if b.MissesLive() {
			return fmt.Sprintf("live B/op must go down from %s to %s: look for a result that is a part of something "+
				"longer, which it keeps in memory as a whole.",
				verdict.FormatBytes(*b.LiveBytesPerOp), verdict.FormatBytes(*b.TargetLiveBytes))
		}
	}
	if step, flows := commonEnd(v.Allocations); flows > 1 {
		return fmt.Sprintf("%d of the values above get to the heap on line %d: a change there helps all of them.",
			flows, step.Line)
	}
	for _, a := range v.Allocations {
		practiced := func(technique string) bool { return slices.Contains(techniques, technique) }
		if advice := present.RuleOf(a.Kind).Advice(practiced); advice != "" {
			return fmt.Sprintf("line %d: %s", a.Line, advice)
		}
	}
	if len(v.Allocations) == 0 {
		return "no counted allocation was made by one of your lines, or by a function that they call: look for a " +
			"goroutine that your code starts."
	}
	return fmt.Sprintf("read what the compiler says around line %d: %s", v.Allocations[0].Line,
		present.Command("go build -gcflags=-m=2 "+dir))
}

// smaller returns the next step after a benchmark that allocates seldom enough and too many bytes.
func smaller(v *verdict.Verdict, b verdict.Benchmark) string {
	var most verdict.Allocation
	for _, a := range v.Allocations {
		if a.Benchmark == b.Name && a.BytesPerOp > most.BytesPerOp {
			most = a
		}
	}
	if most.Line == 0 {
		return fmt.Sprintf("allocs/op meet their target, so the objects must become smaller: by %s B/op.",
			verdict.FormatBytes(b.BytesPerOp-*b.TargetBytes))
	}
	return fmt.Sprintf("allocs/op meet their target, so the objects must become smaller: line %d makes %s "+
		"of the bytes.",
		most.Line, present.Percent(min(1, most.BytesPerOp/b.BytesPerOp)))
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
