package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
)

// nativeMemory is the address space in bytes of a natively run program. Go's runtime reserves about 1 GiB of it at the
// start. Without a limit, a slice that grows without end would use up the machine's memory before the time is over.
const nativeMemory = 4 << 30

// Native runs programs as processes of this machine, with the user's rights. It is only for the user's own code.
type Native struct {
	Limits Limits
	// Process has the limits of the operating system on each run. Memory 0 stands for nativeMemory. A limit on
	// processor time, unlike Limits.Time, does not depend on how busy the machine is.
	Process execution.ProcessLimits
	// FailFast ends the tests after the first failure.
	FailFast bool
}

// Engine implements verdict.Runner.
func (Native) Engine() string { return "native" }

// Load implements verdict.Runner.
func (n Native) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	return &nativeProgram{n, binary, n.Limits.Time}, nil
}

// A nativeProgram is a test binary.
type nativeProgram struct {
	Native
	binary string
	left   time.Duration // time left for its runs
}

// Close implements execution.TestProgram.
func (*nativeProgram) Close() error { return nil }

// Run implements execution.TestProgram. Each process has an empty working directory, and only a few variables of the
// caller's environment.
func (p *nativeProgram) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	start := time.Now()
	defer func() { p.left -= time.Since(start) }()
	dir, err := os.MkdirTemp("", "checkalloc-run-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer os.RemoveAll(dir)
	report, err := os.Create(filepath.Join(dir, "report"))
	if err != nil {
		return nil, fmt.Errorf("make the report's file: %w", err)
	}
	defer report.Close()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}

	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, p.left)
	defer cancel()
	output := &execution.Buffer{Meter: &execution.Meter{Left: p.Limits.Output, Full: cancel}}
	cmd := exec.CommandContext(ctx, p.binary, testArguments(part, p.FailFast)...)
	cmd.Dir = work
	cmd.Env = append(inherit("PATH", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT"), wire.FileVariable+"="+report.Name())
	cmd.Stdout, cmd.Stderr = output, output
	// The program may have started a process that keeps the pipes open.
	cmd.WaitDelay = time.Second
	bounds := p.Process
	bounds.Memory = cmp.Or(bounds.Memory, nativeMemory)
	execution.Bound(cmd, bounds)
	err = cmd.Run()
	if parent.Err() != nil {
		return nil, context.Cause(parent)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return nil, fmt.Errorf("run the test binary: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(report, execution.MaxReport+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the report: %w", err)
	case len(text) > execution.MaxReport:
		return nil, fmt.Errorf("the report of the test binary has more than %d bytes", execution.MaxReport)
	}
	run := &execution.TestRun{
		Report: text,
		Output: output.Bytes(),
		Exit:   cmd.ProcessState.ExitCode(),
		Stop:   p.Limits.stop(stopped(ctx, output.Meter)),
	}
	if run.Stop.Kind == execution.NotStopped && execution.ReachedCPU(bounds.CPU, cmd.ProcessState) {
		run.Stop = execution.Stop{Kind: execution.ProcessorTime, Time: bounds.CPU}
	}
	return run, nil
}

// inherit returns the named environment variables that are set.
func inherit(names ...string) []string {
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
