package author

import (
	"context"
	"slices"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/harness/wire"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// A fickle runner changes its answers.
type fickle struct {
	verdict.Runner
	answers []string
}

func (f *fickle) Load(context.Context, string) (execution.TestProgram, error) { return f, nil }

func (f *fickle) Run(_ context.Context, part string) (*execution.TestRun, error) {
	if part == wire.Tests {
		return &execution.TestRun{Report: []byte("tests 0\ndone\n")}, nil
	}
	r := &execution.TestRun{Report: []byte(f.answers[0])}
	f.answers = f.answers[1:]
	return r, nil
}

func (f *fickle) Close() error { return nil }

func TestSoak(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog[0]
	measured := func(ns, allocs string) string {
		report := "benchmarks\n"
		for _, b := range e.Benchmarks {
			report += "benchmark \"" + b.Name + "\" 1000 " + ns + " 0 " + allocs + " 1000\n"
		}
		return report + "done\n"
	}
	for name, test := range map[string]struct {
		answers []string
		done    int
		differs bool
	}{
		"same":       {[]string{measured("1", "9"), measured("2", "9"), measured("3", "9")}, 3, false},
		"at the end": {[]string{measured("1", "9"), measured("1", "9"), measured("1", "8")}, 3, true},
		"at once":    {[]string{measured("1", "9"), "tests 1\ndone\n", measured("1", "9")}, 2, true},
	} {
		a := &Author{Runs: 3, RunsPerBuild: 3}
		done, verdicts, err := a.soak(t.Context(), e, e.Starter(), verdict.Checker{
			Builder: build.New(build.DefaultLimits()),
			Runner:  &fickle{sandbox.Native{}, slices.Clone(test.answers)},
		})
		if err != nil || done != test.done || len(verdicts) > 1 != test.differs {
			t.Errorf("%s: %d checks, verdicts %v (%v)", name, done, verdicts, err)
		}
	}
}
