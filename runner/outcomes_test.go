package main

import (
	"maps"
	"slices"
	"testing"
	"time"

	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
)

// TestBuildLimits holds that each of the toolchain's limits is counted as one: TestLimits there proves that builds say no other.
func TestBuildLimits(t *testing.T) {
	counted := slices.Sorted(maps.Keys(buildLimits))
	if stops := slices.Sorted(slices.Values(toolchain.Stops)); !slices.Equal(counted, stops) {
		t.Errorf("counted are %q, the toolchain has %q", counted, stops)
	}
}

// TestRunLimits has what runs as tests do end at a limit, and looks at what that counts as.
func TestRunLimits(t *testing.T) {
	s := idleServer(t, 1, 1)
	close(s.warming.ended)
	if err := s.tools.Prepare(t.Context(), "fmt"); err != nil {
		t.Fatal(err)
	}
	wasm := sandbox.Wasm{Limits: sandbox.Limits{Time: time.Second / 2, Memory: 64 << 20, Output: 1 << 10}}
	for _, c := range []struct{ body, want string }{
		{"func main() {}", outcomeOK},
		{"func main() { panic(1) }", outcomeFailed},
		{"func main() { for {} }", string(limitRunTime)},
		{"func main() { for { println(1) } }", string(limitRunOutput)},
	} {
		plan, problem := s.plan(main_(c.body))
		if problem != "" {
			t.Fatal(problem)
		}
		b, err := s.tools.Build(t.Context(), source(plan))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		run, err := wasm.RunTest(t.Context(), b.Binary)
		if got := testOutcome(run, err); got != c.want {
			t.Errorf("%s is counted as %s, want %s: %+v, %v", c.body, got, c.want, run, err)
		}
	}
}
