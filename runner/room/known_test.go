package room

import (
	"testing"

	"onthestack/internal/exercise"
)

// TestKnown sends what no page sends: names that the exercise does not have, and targets of somebody's own.
func TestKnown(t *testing.T) {
	live := 72.0
	e := &exercise.Exercise{Tests: []string{"TestReplace"}, Mistakes: []exercise.Mistake{{Name: "a-value"}},
		Manifest: exercise.Manifest{Benchmarks: []exercise.Benchmark{{Allocs: 1}, {Allocs: 3}}}}
	plain := *e
	e.Benchmarks = []exercise.Benchmark{{Allocs: 1, Live: &live}, {Allocs: 3}}
	for _, c := range []struct {
		in, want Progress
		of       *exercise.Exercise
	}{
		{Progress{Stage: "benchmark", Allocs: 4, Target: 3, Mistake: "a-value", Hints: 2},
			Progress{Stage: "benchmark", Allocs: 4, Target: 3, Mistake: "a-value", Hints: 2}, &plain},
		{Progress{Stage: "tests", Test: "TestReplace/a_departure", Mistake: "Ada is slow"},
			Progress{Stage: "tests", Test: "TestReplace/a_departure"}, &plain},
		{Progress{Stage: "tests", Test: "Ada is slow"}, Progress{Stage: "tests"}, &plain},
		{Progress{Allocs: 900, Target: 1000}, Progress{Allocs: 900, Target: 1}, &plain},
		{Progress{Allocs: 1, Target: 1, Live: 9, TargetLive: 9}, Progress{Allocs: 1, Target: 1}, &plain},
		{Progress{Allocs: 1, Target: 1, Live: 900, TargetLive: 1000},
			Progress{Allocs: 1, Target: 1, Live: 900, TargetLive: 72}, e},
		{Progress{Stage: "build", Allocs: 1, Target: 1}, Progress{Stage: "build"}, e},
		{Progress{Stage: "benchmark"}, Progress{Stage: "benchmark"}, e},
		{Progress{Mistake: "later", Target: 7, Allocs: 9}, Progress{Mistake: "later", Target: 7, Allocs: 9}, nil},
	} {
		if got := c.in.Known(c.of); got != c.want {
			t.Errorf("%+v becomes %+v, want %+v", c.in, got, c.want)
		}
	}
}
