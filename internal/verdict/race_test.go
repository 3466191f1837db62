package verdict_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// racyExercise is an exercise whose tests pass without the race detector, and fail with it if the file does not lock.
func racyExercise(t *testing.T) *exercise.Exercise {
	t.Helper()
	manifest := `
title = "Count"
teaches = "To count."
techniques = ["size"]
chapter = "c"
article = "a"
edit = ["count.go"]
imports = ["sync"]
function = "Counter.Add"
task = "Count."
checked = "The count."
race = true
[[benchmark]]
name = "BenchmarkAdd"
allocs = 0
[[hint]]
text = "1"
[[hint]]
text = "2"
[[hint]]
text = "3"
`
	tests := `package count_test

import (
	"sync"
	"testing"

	"onthestack/exercises/exercise6"
)

func TestAdd(t *testing.T) {
	var c count.Counter
	var both sync.WaitGroup
	for range 2 {
		both.Go(c.Add)
	}
	both.Wait()
}

func BenchmarkAdd(b *testing.B) {
	var c count.Counter
	for range b.N {
		c.Add()
	}
}

func BenchmarkAddConfirm(b *testing.B) { BenchmarkAdd(b) }
`
	e, err := exercise.New("exercise6", []byte(manifest), map[string][]byte{"count.go": []byte(unlocked),
		"count_test.go": []byte(tests)},
		map[string][]byte{"count.go": []byte(locked)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const (
	unlocked = "package count\n\ntype Counter struct{ n int }\n\nfunc (c *Counter) Add() { c.n++ }\n"
	locked   = "package count\n\nimport \"sync\"\n\ntype Counter struct {\n\tmu sync.Mutex\n\tn int\n}\n\n" +
		"func (c *Counter) Add() {\n\tc.mu.Lock()\n\tc.n++\n\tc.mu.Unlock()\n}\n"
)

func TestProofRace(t *testing.T) {
	e := racyExercise(t)
	// Only what the race detector does differs from one case to the next.
	once := newCachedRun(quick(t))
	t.Cleanup(once.close)
	checker := verdict.Checker{Builder: once, Racer: build.New(build.DefaultLimits()), Runner: once}
	for name, test := range map[string]struct {
		files  map[string][]byte
		stage  string
		race   verdict.RaceState
		output string
	}{
		"unlocked": {e.Starter(), verdict.StageTests, verdict.RaceFailed, "DATA RACE"},
		"locked":   {e.Solution, "", verdict.RacePassed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := checker.Check(t.Context(), e, test.files)
			if err != nil {
				t.Fatal(err)
			}
			needRace(t, v)
			if v.Stage != test.stage || v.Tests.Race.State != test.race || !strings.Contains(v.Tests.Output, test.output) {
				t.Errorf("stage %q, race %q, output %s", v.Stage, v.Tests.Race, v.Tests.Output)
			}
			if strings.Contains(v.Tests.Output, "checkalloc-build") {
				t.Errorf("a folder of this machine is named: %s", v.Tests.Output)
			}
		})
	}
	t.Run("no C compiler", func(t *testing.T) {
		t.Setenv("PATH", goOnly(t))
		v, err := checker.Check(t.Context(), e, e.Starter())
		if err != nil {
			t.Fatal(err)
		}
		if !v.Pass || v.Tests.Race != (verdict.Race{State: verdict.RaceNotRun, Why: "the race detector needs a C compiler"}) {
			t.Errorf("pass %v, race %q", v.Pass, v.Tests.Race)
		}
	})
	t.Run("another C compiler that is not there", func(t *testing.T) {
		t.Setenv("CC", "no-such-compiler")
		v, err := checker.Check(t.Context(), e, e.Starter())
		if err != nil {
			t.Fatal(err)
		}
		if !v.Pass || v.Tests.Race != (verdict.Race{State: verdict.RaceNotRun, Why: "the race detector needs a C compiler"}) {
			t.Errorf("pass %v, race %q", v.Pass, v.Tests.Race)
		}
	})
	// If a C compiler is installed and fails, that is our failure: an error with the compiler's message, neither a pass
	// nor a mistake of the solver.
	for name, test := range map[string]struct {
		script string
		files  map[string][]byte
	}{
		"a C compiler that fails": {"#!/bin/sh\necho 'out of paper' >&2\nexit 1\n", e.Starter()},
		"a C compiler that cannot link": {"#!/bin/sh\nfor arg; do case $arg in -c|-E|-S|--version|-v|-###|-dM) " +
			"exec cc \"$@\";; esac; done\n" +
			"echo 'out of paper' >&2\nexit 1\n", e.Solution},
	} {
		t.Run(name, func(t *testing.T) {
			cc := filepath.Join(t.TempDir(), "cc")
			if err := os.WriteFile(cc, []byte(test.script), 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("CC", cc)
			v, err := checker.Check(t.Context(), e, test.files)
			if err == nil || !strings.Contains(err.Error(), "out of paper") ||
				!strings.Contains(err.Error(), "race detector") {
				t.Errorf("%v, %+v", err, v)
			}
		})
	}
	t.Run("other code for the race detector", func(t *testing.T) {
		v, err := checker.Check(t.Context(), e,
			map[string][]byte{"count.go": []byte("//go:build !race\n\n" + unlocked)})
		if err != nil {
			t.Fatal(err)
		}
		if v.Stage != verdict.StagePolicy || len(v.Errors) != 1 || !strings.Contains(v.Errors[0].Message,
			"//go:build !race") {
			t.Errorf("stage %q, %v", v.Stage, v.Errors)
		}
	})
	t.Run("sandbox", func(t *testing.T) {
		v, err := wasm().Check(t.Context(), e, e.Starter())
		if err != nil {
			t.Fatal(err)
		}
		if !v.Pass || v.Tests.Race != (verdict.Race{State: verdict.RaceNotRun, Why: "the sandbox has no race detector"}) ||
			v.Provisional == "" {
			t.Errorf("pass %v, race %q, provisional %q", v.Pass, v.Tests.Race, v.Provisional)
		}
	})
}

// needRace skips a test if its verdict says that the race detector cannot run, for want of a C compiler. In continuous
// integration it fails the test.
func needRace(t *testing.T, v *verdict.Verdict) {
	t.Helper()
	if !strings.Contains(v.Tests.Race.Why, "a C compiler") {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(v.Tests.Race.Why)
	}
	t.Skip("NOT TESTED: the tests under the race detector. This machine has no C compiler: " + v.Tests.Race.Why)
}

// goOnly returns a PATH with the go command and a shell, and without a C compiler.
func goOnly(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go", "sh"} {
		tool, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(tool, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
