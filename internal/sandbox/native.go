package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"onthestack/internal/confine"
	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
)

// nativeMemory is what a natively run program may reserve, in bytes: Go's runtime reserves about 1 GiB before it uses any, and
// without a bound a slice that grows for ever would take the machine's memory before it ran out of time.
const nativeMemory = 4 << 30

// Native runs programs as processes of this machine, with the rights of its user: for a solver's own code on the solver's own
// machine.
type Native struct {
	Limits Limits
	// Process bounds the process of each run. Memory 0 stands for nativeMemory. Unlike Limits.Time, processor time does not run out
	// sooner on a busy machine.
	Process confine.Limits
	// FailFast ends the tests at the first that fails.
	FailFast bool
}

// Engine implements verdict.Runner.
func (Native) Engine() string { return "native" }

// Load implements verdict.Runner.
func (n Native) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	return &nativeProgram{n, n.Limits, binary, n.Limits.Time}, nil
}

// A nativeProgram is a test binary, and the time that is left for its runs.
type nativeProgram struct {
	runner Native
	limits Limits
	binary string
	left   time.Duration
}

// Close implements execution.TestProgram.
func (*nativeProgram) Close() error { return nil }

// Run implements execution.TestProgram. Each process gets an empty working directory and an environment without the caller's.
func (p *nativeProgram) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	start := time.Now()
	defer func() { p.left -= time.Since(start) }()
	dir, err := os.MkdirTemp("", "checkalloc-run-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer os.RemoveAll(dir)
	report := filepath.Join(dir, "report")
	if err := os.WriteFile(report, nil, 0o600); err != nil {
		return nil, fmt.Errorf("make the report's file: %w", err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}

	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, p.left)
	defer cancel()
	output := &execution.Buffer{Meter: &execution.Meter{Left: p.limits.Output, Full: cancel}}
	args := []string{"-test.timeout=0", part}
	if p.runner.FailFast {
		args = []string{"-test.timeout=0", "-test.failfast", part}
	}
	cmd := exec.CommandContext(ctx, p.binary, args...)
	cmd.Dir = work
	cmd.Env = append(inherit("PATH", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT"), wire.FileVariable+"="+report)
	cmd.Stdout, cmd.Stderr = output, output
	// A program may leave a child that holds the pipes.
	cmd.WaitDelay = time.Second
	bounds := p.runner.Process
	bounds.Memory = cmp.Or(bounds.Memory, nativeMemory)
	confine.Bound(cmd, bounds)
	err = cmd.Run()
	if parent.Err() != nil {
		return nil, context.Cause(parent)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return nil, fmt.Errorf("run the test binary: %w", err)
	}
	text, err := readBounded(report)
	if err != nil {
		return nil, err
	}
	run := &execution.TestRun{
		Report: text,
		Output: output.Bytes(),
		Exit:   cmd.ProcessState.ExitCode(),
		Stop:   p.limits.stop(stopped(ctx, output.Meter)),
	}
	// The kernel accounts for the limit and for what it reports in different ways, so the two differ by a tenth and more.
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if most := bounds.CPU; most > 0 && run.Stop.Kind == execution.NotStopped && run.Exit < 0 && used >= most*3/4 {
		run.Stop = execution.Stop{Kind: execution.ProcessorTime, Time: most}
	}
	return run, nil
}

func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	if info.Size() > maxReport {
		return nil, fmt.Errorf("the report of the test binary has %d bytes, more than %d", info.Size(), maxReport)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	return text, nil
}

// inherit returns the named variables of this process's environment, those that are set.
func inherit(names ...string) []string {
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
