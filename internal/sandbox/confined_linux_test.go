package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/internal/execution"
)

var buildNative = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(built, "native")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "./testdata/native")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	output, err := cmd.CombinedOutput()
	if err != nil {
		err = errors.New(string(output))
	}
	return binary, err
})

// confinable returns the binary of testdata/native. It skips the test on a machine that cannot confine programs.
func confinable(t *testing.T) (binary string) {
	t.Helper()
	if err := Confinable(); err != nil {
		t.Skipf("NOT TESTED: this machine cannot confine programs: %v", err)
	}
	binary, err := buildNative()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// TestConfined proves that a run is held to its limits, and that its end says which it reached.
func TestConfined(t *testing.T) {
	binary := confinable(t)
	report := "check.test -test.timeout=0 reports|CHECKALLOC_REPORT_DESCRIPTOR=3 " +
		"GOMAXPROCS=" + strconv.Itoa(confinedProcs())
	for _, c := range []struct {
		program        string
		time           time.Duration // 0 for one that is not reached
		exit           int
		stop           execution.Stop
		output, report string // output is a part of it
	}{
		{program: "reports", exit: 3, output: "out err", report: report},
		{program: "reports too much", report: strings.Repeat("\x00", execution.MaxReport)},
		{
			program: "prints", exit: -1,
			stop: execution.Stop{Kind: execution.Output, Bytes: 1 << 10}, output: "out of paper\n",
		},
		{program: "allocates", exit: 2, output: "out of memory"},
		{
			program: "mounts", exit: -1,
			output: "the program was stopped: it made a system call that is not allowed here\n",
		},
		{
			program: "sleeps", time: time.Second, exit: -1,
			stop: execution.Stop{Kind: execution.RunTime, Time: time.Second},
		},
	} {
		t.Run(c.program, func(t *testing.T) {
			limits := Limits{Time: time.Minute, Output: 1 << 10, Memory: 64 << 20}
			if c.time > 0 {
				limits.Time = c.time
			}
			if c.program == "allocates" {
				limits.Output = 64 << 10
			}
			run, err := runTest(t, Confined{Limits: limits}, binary, c.program)
			if err != nil {
				t.Fatal(err)
			}
			if run.Exit != c.exit || run.Stop != c.stop ||
				!strings.Contains(string(run.Output), c.output) || string(run.Report) != c.report {
				t.Errorf("exit %d, stop %+v, %.500q, report of %d bytes %.100q; want %+v",
					run.Exit, run.Stop, run.Output, len(run.Report), run.Report, c)
			}
		})
	}
}

// TestConfinedLoops proves that a program that computes without end is stopped, by its time or by its processor time.
func TestConfinedLoops(t *testing.T) {
	binary := confinable(t)
	runner := Confined{Limits: Limits{Time: time.Second, Output: 1 << 10, Memory: 64 << 20}}
	for _, program := range []string{"loops", "loops everywhere"} {
		run, err := runTest(t, runner, binary, program)
		if err != nil {
			t.Fatal(err)
		}
		if kind := run.Stop.Kind; run.Exit != -1 || kind != execution.RunTime && kind != execution.ProcessorTime {
			t.Errorf("%s: %+v", program, run)
		}
	}
}

// TestConfinedPrograms proves that a program's runs share one limit of time, that a run ends with its caller's
// context, and that a binary that is too large or that cannot be read is not run.
func TestConfinedPrograms(t *testing.T) {
	binary := confinable(t)
	runner := Confined{Limits: Limits{Time: time.Second, Output: 1 << 10, Memory: 64 << 20}}
	p, err := runner.Load(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, program := range []string{"sleeps", "reports"} {
		if run, err := p.Run(t.Context(), program); err != nil || run.Stop.Kind != execution.RunTime {
			t.Errorf("%s: %+v, %v", program, run, err)
		}
	}
	runner.Limits.Time = time.Hour
	gone := errors.New("gone")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, gone)
	defer cancel()
	other, err := runner.Load(ctx, binary)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if run, err := other.Run(ctx, "sleeps"); !errors.Is(err, gone) {
		t.Errorf("%+v, %v", run, err)
	}

	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxBinary+1); err != nil {
		t.Fatal(err)
	}
	run, err := runTest(t, runner, large, "reports")
	const want = "the program was not started: built, it has more than 32 MiB\n"
	if err != nil || run.Exit != 2 || string(run.Output) != want {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := runner.Load(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error for a binary that is not there")
	}
}
