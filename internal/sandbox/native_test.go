//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
	"onthestack/internal/verdict"
)

// script writes a program that a shell runs. It gets the arguments of a test binary.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestNativeProcess proves that a run is held to the bounds of its process, and that a run's end says so.
func TestNativeProcess(t *testing.T) {
	limits := CheckLimits()
	limits.Time = time.Hour // the test ends when the processor time does
	runner := Native{Limits: limits, Process: execution.ProcessLimits{CPU: time.Second}}
	run, err := runTest(t, runner, script(t, "while :; do :; done"), wire.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if want := (execution.Stop{Kind: execution.ProcessorTime, Time: time.Second}); run.Stop != want || run.Exit >= 0 {
		t.Errorf("stopped %q, exit code %d, want %q", run.Stop, run.Exit, want)
	}
	// A program that ends by itself is not stopped.
	if run, err = runTest(t, runner, script(t, "kill -KILL $$"), wire.Tests); err != nil ||
		run.Stop.Kind != execution.NotStopped || run.Exit >= 0 {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestFailFast proves that a program gets the flag to end at the first failure, if the caller asks for that.
func TestFailFast(t *testing.T) {
	echo, programs := script(t, `echo "$@"`), build(t, "programs")
	compiled := wazero.NewCompilationCache()
	defer compiled.Close(t.Context())
	for _, fast := range []bool{false, true} {
		for _, c := range []struct {
			runner verdict.Runner
			binary string
		}{
			{Native{Limits: CheckLimits(), FailFast: fast}, echo},
			{Wasm{Limits: CheckLimits(), Compiled: compiled, FailFast: fast}, programs},
		} {
			run, err := runTest(t, c.runner, c.binary, wire.Tests)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(run.Output), "-test.failfast"); got != fast ||
				!strings.HasSuffix(string(run.Output), " "+wire.Tests+"\n") {
				t.Errorf("%s, FailFast %v: called with %q", c.runner.Engine(), fast, run.Output)
			}
		}
	}
}
