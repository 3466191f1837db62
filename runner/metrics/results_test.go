package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"onthestack/internal/direct"
	"onthestack/internal/harness/wire"
	"onthestack/internal/playground"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/runner/jobs"
)

func TestOutcomes(t *testing.T) {
	failure := errors.New("broken")
	for _, c := range []struct {
		build *verdict.Build
		err   error
		want  Result
	}{
		{&verdict.Build{OK: true}, nil, "ok"},
		{&verdict.Build{}, nil, "failed"},
		{nil, failure, "error"},
		{nil, fmt.Errorf("build: %w", context.Canceled), "canceled"},
		{nil, fmt.Errorf("build: %w", jobs.ErrPreempted), "canceled"},
		{&verdict.Build{Stopped: "took longer than 10s and was stopped"}, nil, "build_time"},
		{&verdict.Build{Stopped: "needed more than 2048 MiB of memory and was stopped"}, nil, "build_memory"},
		{&verdict.Build{Stopped: "printed more than 8 MiB and was stopped"}, nil, "build_output"},
		{&verdict.Build{Stopped: "used more than 20s of processor time and was stopped"}, nil, "build_time"},
		{&verdict.Build{Stopped: "was stopped by the operating system, which may have no memory left"}, nil, "build_memory"},
		{&verdict.Build{Stopped: "wrote too much"}, nil, "build_other"},
	} {
		if got := buildResult(c.build, c.err); got != c.want {
			t.Errorf("build %+v, %v: %s, want %s", c.build, c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		ran  *playground.Run
		err  error
		want Result
	}{
		{&playground.Run{}, nil, "ok"},
		{&playground.Run{Exit: 3}, nil, "failed"},
		{&playground.Run{Stop: playground.OutOfTime, Exit: 1}, nil, "run_time"},
		{&playground.Run{Stop: playground.NotReady, Exit: 2}, nil, "run_time"},
		{&playground.Run{Stop: playground.TooMuchOutput, Exit: -1}, nil, "run_output"},
		{&playground.Run{Stop: playground.TooDeep, Exit: 2}, nil, "run_stack"},
		{&playground.Run{Exit: 2, Events: []playground.Event{{Message: "fatal error: out of memory\n", Kind: "stderr"}}}, nil, "run_memory"},
		{&playground.Run{Exit: 2, Events: []playground.Event{{Message: "fatal error: out of memory\n", Kind: "stdout"}}}, nil, "failed"},
		{nil, failure, "error"},
	} {
		if got := programResult(c.ran, c.err); got != c.want {
			t.Errorf("program %+v, %v: %s, want %s", c.ran, c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		run  *verdict.Run
		err  error
		want Result
	}{
		{&verdict.Run{}, nil, "ok"},
		{&verdict.Run{Exit: 1}, nil, "failed"},
		{nil, failure, "error"},
		{&verdict.Run{Stopped: "ran longer than 20s and was stopped"}, nil, "run_time"},
		{&verdict.Run{Stopped: "was not ready to run after 20s"}, nil, "run_time"},
		{&verdict.Run{Stopped: "printed more than 1024 KiB and was stopped"}, nil, "run_output"},
		{&verdict.Run{Stopped: "recursed too deep and was stopped"}, nil, "run_stack"},
	} {
		if got := testsResult(c.run, c.err); got != c.want {
			t.Errorf("tests %+v, %v: %s, want %s", c.run, c.err, got, c.want)
		}
	}
}

func TestTransient(t *testing.T) {
	var passing []Result
	for _, o := range []Result{resultOK, resultFailed, resultError} {
		if o.Transient() {
			passing = append(passing, o)
		}
	}
	for _, l := range allLimits {
		if o := Result(l); o.Transient() {
			passing = append(passing, o)
		}
	}
	if want := []Result{"build_time", "build_memory", "build_other", "run_time"}; !slices.Equal(passing, want) {
		t.Errorf("passing are %q, want %q", passing, want)
	}
}

// TestBuildLimits holds that each of the toolchain's limits is counted as one: TestLimits there proves that builds say no other.
func TestBuildLimits(t *testing.T) {
	counted := slices.Sorted(maps.Keys(buildLimits))
	if stops := slices.Sorted(slices.Values(direct.Stops)); !slices.Equal(counted, stops) {
		t.Errorf("counted are %q, the toolchain has %q", counted, stops)
	}
}

// TestRunLimits has what runs as tests do end at a limit, and looks at what that counts as.
func TestRunLimits(t *testing.T) {
	wasm := sandbox.Wasm{Limits: sandbox.Limits{Time: time.Second / 2, Memory: 64 << 20, Output: 1 << 10}}
	for _, c := range []struct {
		declarations string
		want         Result
	}{
		{"func main() {}", resultOK},
		{"func main() { panic(1) }", resultFailed},
		{"func main() { for {} }", Result(limitRunTime)},
		{"func main() { for { println(1) } }", Result(limitRunOutput)},
	} {
		program, err := wasm.Load(t.Context(), build(t, "package main\n\n"+c.declarations+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := program.Run(t.Context(), wire.Tests)
		program.Close()
		if got := (*Metrics)(nil).Tests(time.Now(), run, err); got != c.want {
			t.Errorf("%s is counted as %s, want %s: %+v, %v", c.declarations, got, c.want, run, err)
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
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, file)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}
