package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
	"onthestack/internal/sandbox/jail"
)

// Confined runs natively built test binaries as processes that can do nothing but compute and report; see package jail.
// It may run code of strangers where [Confinable] returns nil. A program that uses it must call jail.Main first in
// main.
//
// A run has Limits.Memory bytes of memory, and about as much processor time as Limits.Time.
type Confined struct{ Limits Limits }

// moreProcessor is added to a run's limit on time for its limit on processor time, so that a program of one thread
// reaches the limit on time first.
const moreProcessor = 2 * time.Second

// confinedProcs returns the GOMAXPROCS of a confined program.
func confinedProcs() int { return min(runtime.GOMAXPROCS(0), jail.MaxProcs) }

// A boundedReport keeps the first execution.MaxReport bytes of a report, and refuses the rest.
type boundedReport []byte

// Write implements io.Writer. It returns io.ErrShortWrite for what it refuses.
func (r *boundedReport) Write(p []byte) (int, error) {
	n := min(len(p), execution.MaxReport-len(*r))
	*r = append(*r, p[:n]...)
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Confinable returns nil if this machine can confine a process, and otherwise an error that names the missing layer. It
// tries once.
func Confinable() error { return jail.Probe() }

// Engine implements verdict.Runner.
func (Confined) Engine() string { return "confined" }

// Load implements verdict.Runner.
func (c Confined) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	file, err := os.Open(binary)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	if info.Size() > maxBinary {
		why := fmt.Sprintf("the program was not started: built, it has more than %d MiB\n", maxBinary>>20)
		return &confinedTest{refused: why}, nil
	}
	program, err := jail.Load(file, maxBinary)
	if err != nil {
		return nil, err
	}
	return &confinedTest{Confined: c, program: program, left: c.Limits.Time}, nil
}

// A confinedTest is a test binary and the time left for its runs.
type confinedTest struct {
	Confined
	program *jail.Program
	left    time.Duration
	refused string // why the binary cannot be run; "" if it can
}

// Close implements execution.TestProgram.
func (t *confinedTest) Close() error {
	if t.program == nil {
		return nil
	}
	return t.program.Close()
}

// Run implements execution.TestProgram.
func (t *confinedTest) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	if t.refused != "" {
		return &execution.TestRun{Output: []byte(t.refused), Exit: 2}, nil
	}
	start := time.Now()
	defer func() { t.left -= time.Since(start) }()
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, t.left)
	defer cancel()
	output := &execution.Buffer{Meter: &execution.Meter{Left: t.Limits.Output, Full: cancel}}
	var report boundedReport
	bounds := jail.Bounds{Memory: t.Limits.Memory, CPU: t.Limits.Time + moreProcessor}
	command := jail.Command{
		Program: t.program,
		Args:    append([]string{"check.test"}, testArguments(part, false)...),
		Env: []string{
			wire.DescriptorVariable + "=" + strconv.Itoa(jail.ReportFD),
			// In a jail the runtime cannot find out how many processors there are.
			"GOMAXPROCS=" + strconv.Itoa(confinedProcs()),
		},
		Output: output, Report: &report, Bounds: bounds,
	}
	state, err := command.Run(ctx)
	if parent.Err() != nil {
		return nil, context.Cause(parent)
	}
	if err != nil {
		return nil, fmt.Errorf("run the test binary: %w", err)
	}
	run := &execution.TestRun{
		Report: report,
		Output: output.Bytes(),
		Exit:   state.Exit,
		Stop:   t.Limits.stop(stopped(ctx, output.Meter)),
	}
	switch {
	case run.Stop.Kind != execution.NotStopped:
	case state.Refused:
		run.Output = append(run.Output, "the program was stopped: it made a system call that is not allowed here\n"...)
	case state.Killed && execution.NearCPU(bounds.CPU, state.CPU):
		run.Stop = execution.Stop{Kind: execution.ProcessorTime, Time: bounds.CPU}
	case state.Killed:
		run.Stop = execution.Stop{Kind: execution.Killed}
	}
	return run, nil
}
