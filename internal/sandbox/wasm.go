package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/sys"

	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
)

// Wasm runs programs built for GOOS=wasip1 GOARCH=wasm inside this process, under wazero. Memory and time are bounded,
// and programs have no access to the host's files, the network or the environment. It is safe for the code of
// strangers.
type Wasm struct {
	Limits Limits
	// Zones is the time zone database of a Go release, its lib/time/zoneinfo.zip. Programs find it in the file
	// /usr/local/go/lib/time/zoneinfo.zip, which is empty if Zones is nil.
	Zones []byte
	// Compiled caches compiled programs, for callers that run the same ones again. If it is nil, each is compiled anew.
	// The caller closes it.
	Compiled wazero.CompilationCache
	// FailFast ends the tests after the first failure.
	FailFast bool
	// OwnProcess is for a process that runs nothing else, which may have a low priority and may be suspended.
	// Limits.Time and Limits.Ready are processor time then, where the system tells it (Unix), and the caller's context
	// bounds the wall-clock time.
	OwnProcess bool
}

// Engine implements verdict.Runner.
func (Wasm) Engine() string { return "wasm" }

// Load implements verdict.Runner. A test binary is compiled to machine code once, at its first run. If a function is
// too large for that, the binary does not run, and the output says so. Each run has an instance with its own memory and
// without a disk. All runs together take at most Limits.Ready plus Limits.Time.
//
// Measured on 2 cores for exercise6 (3.8 MB): a check takes 0.7 s, of which 0.6 s is the compilation. When the binary
// had 5.4 MB, it took three times as long interpreted as compiled.
func (w Wasm) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	l, err := w.read(binary)
	if err != nil {
		return nil, err
	}
	if l.program.refused == "" && !l.program.compilable() {
		l.program.refused = fmt.Sprintf("one function has more than %d KiB of code", maxCompiled>>10)
	}
	l.compiled = true
	return l, nil
}

// A loaded program is compiled, or translated for the interpreter, at its first run. It is not safe for concurrent use.
type loaded struct {
	Wasm
	program  program
	compiled bool // to machine code, not only translated for the interpreter

	engine  wazero.Runtime        // nil before the first run
	module  wazero.CompiledModule // nil if the program could not be compiled
	failed  error                 // why module is nil
	loading time.Duration         // how long compiling took
	ran     time.Duration         // by all instances
}

// read reads a program that is to be interpreted.
func (w Wasm) read(binary string) (*loaded, error) {
	p, err := readProgram(binary)
	return &loaded{Wasm: w, program: p}, err
}

// Run implements execution.TestProgram.
func (l *loaded) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	output := &execution.Buffer{Meter: &execution.Meter{Left: l.Limits.Output}}
	report := &execution.Buffer{Meter: &execution.Meter{Left: execution.MaxReport, Full: func() {}}}
	exit, stop, err := l.run(ctx, run{
		args:  append([]string{"check.test"}, testArguments(part, l.FailFast)...),
		meter: output.Meter, stdout: output, stderr: output, report: report,
	})
	if err != nil {
		return nil, err
	}
	return &execution.TestRun{
		Report: report.Bytes(), Output: output.Bytes(), Exit: exit, Stop: stop,
	}, nil
}

// Close implements execution.TestProgram.
func (l *loaded) Close() error {
	if l.engine == nil {
		return nil
	}
	return l.engine.Close(context.Background())
}

// A run has the inputs and outputs of one instance of a program.
type run struct {
	args           []string
	brief          bool             // whether interpretFactor limits its time too
	meter          *execution.Meter // of stdout and stderr; run sets its Full
	stdout, stderr io.Writer
	report         io.Writer // the channel of a test binary's report; nil for other programs
	clock          *clock    // nil for the machine's clock
	disk           *disk     // nil for none
}

// compileWorkers is the number of processors that compile one program. A second one helps if only one reader waits;
// under load each program gets less than one anyway.
const compileWorkers = 2

// stackOverflow is wazero's message for a call deeper than an engine's stack. There is no error value for it.
const stackOverflow = "stack overflow"

// ready compiles the program, unless an earlier run did. stop is the limit that the compilation reached.
func (l *loaded) ready(ctx context.Context) (stop execution.Kind) {
	if l.engine != nil {
		return execution.NotStopped
	}
	const page = 64 << 10
	start := time.Now()
	// Code that cannot be made interruptible is interrupted by wazero itself.
	code, byWazero := l.program.code, true
	config := wazero.NewRuntimeConfigInterpreter()
	if l.compiled {
		config = wazero.NewRuntimeConfig() // the interpreter's on platforms without a compiler
		if l.Compiled != nil {
			config = config.WithCompilationCache(l.Compiled)
		}
		if c, err := interruptible(code); err == nil {
			code, byWazero = c, false
		}
	}
	l.engine = wazero.NewRuntimeWithConfig(ctx, config.
		WithCloseOnContextDone(byWazero).
		WithMemoryLimitPages(uint32(l.Limits.Memory/page)))
	// The compiler checks its context after each function, and compiles maxCompiled bytes of code in about 0.15 s. The
	// interpreter does not check its context, but takes less than 2 s for the largest module that maxCode admits.
	loading, loaded := timed(ctx, l.Limits.ready(), l.used())
	defer loaded()
	workers := experimental.WithCompilationWorkers(loading, compileWorkers)
	l.module, l.failed = l.engine.CompileModule(workers, code)
	if l.OwnProcess {
		debug.FreeOSMemory() // what the compiler needed, before the program needs as much again
	}
	l.loading = time.Since(start)
	if loading.Err() != nil && ctx.Err() == nil {
		return execution.LoadTime
	}
	return execution.NotStopped
}

// run runs an instance of the program to its end or to a limit. If ctx ends first, err is its cause, unless that is an
// execution.StopError: the program then has reached that limit.
func (l *loaded) run(ctx context.Context, r run) (exit int, stop execution.Stop, err error) {
	exit, kind, err := l.instance(ctx, r)
	var ofCaller execution.StopError
	if errors.As(err, &ofCaller) {
		return -1, ofCaller.Stop, nil
	}
	return exit, l.Limits.stop(kind), err
}

// instance runs an instance of the program to its end or to one of the program's own limits.
func (l *loaded) instance(ctx context.Context, r run) (exit int, stop execution.Kind, err error) {
	if l.program.refused != "" {
		fmt.Fprintf(r.stderr, "the program was not started: %s\n", l.program.refused)
		return 2, execution.NotStopped, nil
	}
	stop = l.ready(ctx)
	switch {
	case ctx.Err() != nil:
		return 0, execution.NotStopped, context.Cause(ctx)
	case stop != execution.NotStopped:
		return 2, stop, nil
	}
	// Each run has its own host modules.
	stderr := &stream{Writer: r.stderr}
	wasi, err := exportWASI(ctx, l.engine, r.disk, stderr)
	if err != nil {
		return 0, execution.NotStopped, err
	}
	// ctx may be canceled by the time of the call.
	defer wasi.Close(context.WithoutCancel(ctx))
	if r.report != nil {
		report, err := exportReport(ctx, l.engine, r.report)
		if err != nil {
			return 0, execution.NotStopped, err
		}
		defer report.Close(context.WithoutCancel(ctx))
	}
	config := wazero.NewModuleConfig().WithName("").WithArgs(r.args...).
		WithStdout(r.stdout).WithStderr(stderr).
		WithRandSource(rand.Reader)
	// A call of a host function cannot be interrupted, so sleep itself ends with the program's time.
	var running context.Context
	if r.clock != nil {
		config = r.clock.configure(config)
	} else {
		config = config.WithSysWalltime().WithSysNanotime().WithNanosleep(func(ns int64) { sleep(running, ns) })
	}
	if r.disk != nil {
		config = config.WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(r.disk, "/"))
	}

	// The time of the program begins here, because the time before depends on its size and on the machine.
	parent, start := ctx, time.Now()
	most := l.Limits.Time - l.ran
	if r.brief {
		most = min(most, interpretFactor*l.loading)
	}
	ctx, cancel := timed(ctx, most, l.used())
	defer cancel()
	running = ctx
	r.meter.Full = cancel
	if err = l.failed; err == nil {
		_, err = l.engine.InstantiateModule(withMemory(ctx), l.module, config)
	}
	l.ran += time.Since(start)
	if parent.Err() != nil {
		return 0, execution.NotStopped, context.Cause(parent)
	}
	stop = stopped(ctx, r.meter)
	var exited *sys.ExitError
	switch {
	case err == nil && stop != execution.Output:
		return 0, execution.NotStopped, nil // even if the time is over meanwhile
	case stop != execution.NotStopped:
		return -1, stop, nil
	case errors.As(err, &exited):
		return int(exited.ExitCode() & 0xff), execution.NotStopped, nil // as on Unix
	case cause(err) == stackOverflow:
		return 2, execution.StackDepth, nil
	default:
		// A fault of the program: a trap, variables larger than its memory, or an invalid system call.
		fmt.Fprintf(r.stderr, "the program was stopped: %s\n", cause(err))
		return 2, execution.NotStopped, nil
	}
}

// cause returns the part of wazero's error that is of use to the program's author.
func cause(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	for _, before := range []string{"function[_start] failed: ", "wasm error: "} {
		if _, after, found := strings.Cut(line, before); found {
			line = after
		}
	}
	return strings.TrimSuffix(line, " (recovered by wazero)")
}

// exportReport provides the host function with which package testmain reports.
func exportReport(ctx context.Context, engine wazero.Runtime, report io.Writer) (api.Closer, error) {
	module, err := engine.NewHostModuleBuilder(wire.HostModule).NewFunctionBuilder().
		WithFunc(func(_ context.Context, m api.Module, address, size uint32) {
			// The program could pass an address outside its memory.
			if p, ok := m.Memory().Read(address, size); ok {
				report.Write(p)
			}
		}).Export(wire.HostFunction).Instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("set up the report's channel: %w", err)
	}
	return module, nil
}

// Record runs a main package that reports about itself, with the time, the input and the disk of RunProgram. The report
// travels on the channel of a test binary's report, and is bounded by execution.MaxReport. A program that exceeds that
// bound is stopped, and Stop.Kind is execution.Output.
//
// The program is interpreted. Compiling it would take longer than the steps that a recording may have.
func (w Wasm) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	l, err := w.read(binary)
	if err != nil {
		return nil, err
	}
	c := newClock()
	meter := &execution.Meter{Left: w.Limits.Output}
	var pieces []execution.Piece
	defer l.Close()
	stopReport := func() {
		meter.Take(meter.Left + 1) // ends the run as too much output does
	}
	exit, stop, err := l.run(ctx, run{
		args: []string{"prog"}, meter: meter, clock: c, disk: newDisk(c, w.Zones),
		stdout: pieceWriter{&pieces, c, execution.Stdout, meter}, stderr: pieceWriter{&pieces, c, execution.Stderr, meter},
		report: pieceWriter{&pieces, c, execution.Report, &execution.Meter{Left: execution.MaxReport, Full: stopReport}},
	})
	if err != nil {
		return nil, err
	}
	return &execution.Recording{Pieces: pieces, Exit: exit, Stop: stop}, nil
}

// A pieceWriter is one stream or the report. A program has one thread, so it needs no lock.
type pieceWriter struct {
	pieces *[]execution.Piece
	clock  *clock
	kind   string
	meter  *execution.Meter
}

// pieceCost is the overhead of a piece in bytes, which counts toward its limit.
const pieceCost = 64

// Write implements io.Writer. It discards what exceeds the limit, and never returns an error.
func (w pieceWriter) Write(p []byte) (int, error) {
	if w.meter.Take(pieceCost) == pieceCost {
		text := slices.Clone(p[:w.meter.Take(len(p))])
		*w.pieces = append(*w.pieces, execution.Piece{Kind: w.kind, Time: w.clock.now, Text: text})
	}
	return len(p), nil
}

// A clock is a program's own time. It advances only while the program sleeps, and by the time that it sleeps. A program
// has one thread, so a clock needs no lock.
type clock struct {
	now int64 // nanoseconds since 1970
}

func newClock() *clock { return &clock{now: execution.Epoch} }

// sleep is called when all goroutines of the program wait; ns is the time until the next timer is due.
func (c *clock) sleep(ns int64) {
	if ns > 0 {
		c.now = min(c.now, math.MaxInt64-ns) + ns
	}
}

func (c *clock) configure(config wazero.ModuleConfig) wazero.ModuleConfig {
	wall := func() (int64, int32) { return c.now / 1e9, int32(c.now % 1e9) }
	// The monotonic clock shows the same time, as the runtime's own fake clock does.
	return config.WithWalltime(wall, sys.ClockResolution(1)).
		WithNanotime(func() int64 { return c.now }, sys.ClockResolution(1)).
		WithNanosleep(c.sleep)
}

// sleep waits for ns nanoseconds of real time, or until ctx is done.
func sleep(ctx context.Context, ns int64) {
	if ns <= 0 {
		return
	}
	timer := time.NewTimer(time.Duration(ns))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
