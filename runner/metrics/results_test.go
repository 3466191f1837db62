package metrics

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/execution"
	"onthestack/internal/sandbox"
	"onthestack/runner/queue"
)

func TestOutcomes(t *testing.T) {
	failure := errors.New("broken")
	for _, c := range []struct {
		ok   bool
		stop execution.Kind
		err  error
		want Result
	}{
		{true, execution.NotStopped, nil, "ok"},
		{false, execution.NotStopped, nil, "failed"},
		{false, execution.NotStopped, failure, "error"},
		{false, execution.NotStopped, fmt.Errorf("build: %w", context.Canceled), "canceled"},
		{false, execution.NotStopped, fmt.Errorf("build: %w", queue.ErrPreempted), "canceled"},
		{false, execution.BuildTime, nil, "build_time"},
		{false, execution.Memory, nil, "build_memory"},
		{false, execution.Output, nil, "build_output"},
		{false, execution.ProcessorTime, nil, "build_time"},
		{false, execution.Killed, nil, "build_memory"},
		{false, execution.FileSize, nil, "build_other"},
	} {
		if got := buildResult(c.ok, c.stop, c.err); got != c.want {
			t.Errorf("build %v, stop %d, %v: %s, want %s", c.ok, c.stop, c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		ran  *execution.Result
		err  error
		want Result
	}{
		{&execution.Result{}, nil, "ok"},
		{&execution.Result{Exit: 3}, nil, "failed"},
		{&execution.Result{Stop: execution.Stop{Kind: execution.RunTime}, Exit: 1}, nil, "run_time"},
		{&execution.Result{Stop: execution.Stop{Kind: execution.LoadTime}, Exit: 2}, nil, "run_time"},
		{&execution.Result{Stop: execution.Stop{Kind: execution.Output}, Exit: -1}, nil, "run_output"},
		{&execution.Result{Stop: execution.Stop{Kind: execution.StackDepth}, Exit: 2}, nil, "run_stack"},
		{&execution.Result{Exit: 2, Events: []execution.Event{{Message: "fatal error: out of memory\n",
			Kind: "stderr"}}},
			nil, "run_memory"},
		{&execution.Result{Exit: 2, Events: []execution.Event{{Message: "fatal error: out of memory\n",
			Kind: "stdout"}}},
			nil, "failed"},
		{nil, failure, "error"},
	} {
		if got := programResult(c.ran, c.err); got != c.want {
			t.Errorf("program %+v, %v: %s, want %s", c.ran, c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		run  *execution.TestRun
		err  error
		want Result
	}{
		{&execution.TestRun{}, nil, "ok"},
		{&execution.TestRun{Exit: 1}, nil, "failed"},
		{nil, failure, "error"},
		{&execution.TestRun{Stop: execution.Stop{Kind: execution.RunTime}}, nil, "run_time"},
		{&execution.TestRun{Stop: execution.Stop{Kind: execution.LoadTime}}, nil, "run_time"},
		{&execution.TestRun{Stop: execution.Stop{Kind: execution.Output}}, nil, "run_output"},
		{&execution.TestRun{Stop: execution.Stop{Kind: execution.StackDepth}}, nil, "run_stack"},
	} {
		if got := testsResult(c.run, c.err); got != c.want {
			t.Errorf("tests %+v, %v: %s, want %s", c.run, c.err, got, c.want)
		}
	}
}

// TestRunLimits runs a program that ends at a limit or by itself, as it is told, and tests how each run is counted.
func TestRunLimits(t *testing.T) {
	binary := build(t, `package main

import "os"

func main() {
	switch os.Args[len(os.Args)-1] {
	case "panics":
		panic(1)
	case "loops":
		for {
		}
	case "prints":
		for {
			println(1)
		}
	}
}
`)
	compiled := wazero.NewCompilationCache()
	defer compiled.Close(t.Context())
	for does, want := range map[string]Result{"ends": resultOK, "panics": resultFailed, "loops": limitRunTime,
		"prints": limitRunOutput} {
		wasm := sandbox.Wasm{Compiled: compiled, Limits: sandbox.Limits{Time: time.Minute, Memory: 64 << 20,
			Output: 1 << 10, Ready: 10 * time.Minute}}
		if want == limitRunTime {
			wasm.Limits.Time = 100 * time.Millisecond
		}
		program, err := wasm.Load(t.Context(), binary)
		if err != nil {
			t.Fatal(err)
		}
		run, err := program.Run(t.Context(), does)
		program.Close()
		if got := testsResult(run, err); got != want {
			t.Errorf("a program that %s is counted as %s, want %s: %+v, %v", does, got, want, run, err)
		}
	}
}

// build builds a program of one file.
func build(t *testing.T, source string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.wasm")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, file)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}
