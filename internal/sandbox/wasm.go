package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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

// Wasm runs programs built for GOOS=wasip1 GOARCH=wasm inside this process, under wazero: no file of the host, no network, no
// environment, memory and time bounded. It serves code of strangers.
type Wasm struct {
	Limits Limits
	// Zones is the time zone database of a Go release, its lib/time/zoneinfo.zip. Programs find it at
	// /usr/local/go/lib/time/zoneinfo.zip, empty where nil.
	Zones []byte
	// Compiled keeps test binaries compiled for who runs the same ones again; nil compiles at each run. Its owner closes it.
	Compiled wazero.CompilationCache
}

// Engine implements verdict.Runner.
func (Wasm) Engine() string { return "wasm" }

// Load implements verdict.Runner. A test binary is compiled to machine code once, at its first run, and refused, which its output
// says, where one function is too large for that. Each run is an instance with memory of its own, and has no disk. All runs together
// take at most Limits.Ready plus Limits.Time.
//
// Measured on 2 cores: exercise1's tests and measurement (5.4 MB) take 1.3 s compiled, of which 0.9 s is compiling, and 4.5 s
// interpreted.
func (w Wasm) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	p, err := readProgram(binary)
	if err != nil {
		return nil, err
	}
	if p.refused == "" && !p.compilable() {
		p.refused = fmt.Sprintf("one function has more than %d KiB of code", maxCompiled>>10)
	}
	return &wasmTest{limits: w.Limits, loaded: loaded{program: p, config: w.compiled(), limits: w.Limits}, left: w.Limits.Time}, nil
}

// A wasmTest is a test binary, and the time that is left for its runs.
type wasmTest struct {
	limits Limits
	loaded loaded
	left   time.Duration
}

// Run implements execution.TestProgram.
func (t *wasmTest) Run(ctx context.Context, part string) (*execution.TestRun, error) {
	output := &execution.Buffer{Meter: &execution.Meter{Left: t.limits.Output}}
	report := &execution.Buffer{Meter: &execution.Meter{Left: maxReport, Full: func() {}}}
	exit, stop, err := t.loaded.run(ctx, run{
		args: []string{"check.test", part}, time: func(time.Duration) time.Duration { return t.left },
		meter: output.Meter, stdout: output, stderr: output, report: report, took: func(d time.Duration) { t.left -= d },
	})
	if err != nil {
		return nil, err
	}
	return &execution.TestRun{Report: report.Bytes(), Output: output.Bytes(), Exit: exit, Stop: t.limits.stop(stop)}, nil
}

// Close implements execution.TestProgram.
func (t *wasmTest) Close() error { return t.loaded.close() }

// compiled is wazero's compiler, on platforms that it does not know its interpreter.
func compiled() wazero.RuntimeConfig { return wazero.NewRuntimeConfig() }

func (w Wasm) compiled() wazero.RuntimeConfig {
	if w.Compiled == nil {
		return compiled()
	}
	return compiled().WithCompilationCache(w.Compiled)
}

func interpreted() wazero.RuntimeConfig { return wazero.NewRuntimeConfigInterpreter() }

// A run is what one instance of a program gets.
type run struct {
	args           []string
	time           func(loading time.Duration) time.Duration // what it may take, once it is ready, which took loading
	meter          *execution.Meter                          // of stdout and stderr; run sets its Full
	stdout, stderr io.Writer
	report         io.Writer           // where a test binary reports; nil for other programs
	clock          *clock              // nil for the machine's
	disk           *disk               // nil for none
	took           func(time.Duration) // told how long the instance ran; nil for none
}

// A loaded program is compiled, or translated for the interpreter, at its first run. It is not safe for concurrent use.
type loaded struct {
	program program
	config  wazero.RuntimeConfig
	limits  Limits

	engine  wazero.Runtime        // nil before the first run
	module  wazero.CompiledModule // nil where the program could not be compiled
	loading time.Duration         // how long that took
	failed  error                 // why module is nil
}

func (l *loaded) close() error {
	if l.engine == nil {
		return nil
	}
	return l.engine.Close(context.Background())
}

func (w Wasm) fullTime(time.Duration) time.Duration { return w.Limits.Time }

// compileWorkers is how many processors compiling one program may take. A second helps a reader alone; under load each program
// has fewer anyway.
const compileWorkers = 2

// stackOverflow is the cause that wazero names for a call deeper than an engine's stack; its error has no other mark.
const stackOverflow = "stack overflow"

// ready compiles the program, unless a run before did. stop tells the limit that this reached.
func (l *loaded) ready(ctx context.Context) (stop execution.Kind) {
	if l.engine != nil {
		return execution.NotStopped
	}
	const page = 64 << 10
	l.engine = wazero.NewRuntimeWithConfig(ctx, l.config.
		WithCloseOnContextDone(true).
		WithMemoryLimitPages(uint32(l.limits.Memory/page)))
	start := time.Now()
	// The compiler checks its context after each function, and maxCompiled bytes of code take it about 0.15 s. The interpreter does
	// not check its context, but takes less than 2 s for the largest module that maxCode admits.
	loading, loaded := context.WithTimeout(ctx, l.limits.ready())
	defer loaded()
	l.module, l.failed = l.engine.CompileModule(experimental.WithCompilationWorkers(loading, compileWorkers), l.program.code)
	l.loading = time.Since(start)
	if loading.Err() != nil && ctx.Err() == nil {
		return execution.LoadTime
	}
	return execution.NotStopped
}

// run instantiates the program, which runs it.
func (l *loaded) run(ctx context.Context, r run) (exit int, stop execution.Kind, err error) {
	if l.program.refused != "" {
		fmt.Fprintf(r.stderr, "the program was not started: %s\n", l.program.refused)
		return 2, execution.NotStopped, nil
	}
	if stop := l.ready(ctx); stop != execution.NotStopped {
		return 2, stop, nil
	}
	// The program's own host modules, which go with it: a later run gets others.
	stderr := &stream{Writer: r.stderr}
	wasi, err := exportWASI(ctx, l.engine, r.disk, stderr)
	if err != nil {
		return 0, execution.NotStopped, err
	}
	// The program's context may be over by then.
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
	// Nothing interrupts a call of the host's, so a sleep has to end with the program's time.
	var running context.Context
	if r.clock != nil {
		config = r.clock.configure(config)
	} else {
		config = config.WithSysWalltime().WithSysNanotime().WithNanosleep(func(ns int64) { sleep(running, ns) })
	}
	if r.disk != nil {
		config = config.WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(r.disk, "/"))
	}

	// The program's time begins here: what comes before depends on its size and on the machine.
	parent, start := ctx, time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.time(l.loading))
	defer cancel()
	running = ctx
	r.meter.Full = cancel
	if err = l.failed; err == nil {
		_, err = l.engine.InstantiateModule(withMemory(ctx), l.module, config)
	}
	if r.took != nil {
		r.took(time.Since(start))
	}
	if parent.Err() != nil {
		return 0, execution.NotStopped, context.Cause(parent)
	}
	stop = stopped(ctx, r.meter)
	var exited *sys.ExitError
	switch {
	case err == nil && stop != execution.Output:
		return 0, execution.NotStopped, nil // even when its time is over by now
	case stop != execution.NotStopped:
		return -1, stop, nil
	case errors.As(err, &exited):
		return int(exited.ExitCode() & 0xff), execution.NotStopped, nil // as on Unix
	case cause(err) == stackOverflow:
		return 2, execution.StackDepth, nil
	default:
		// The program's own doing: a trap, variables larger than its memory, or a system call that makes no sense.
		fmt.Fprintf(r.stderr, "the program was stopped: %s\n", cause(err))
		return 2, execution.NotStopped, nil
	}
}

// cause returns what of wazero's error tells the program's author something.
func cause(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	for _, before := range []string{"function[_start] failed: ", "wasm error: "} {
		if _, after, found := strings.Cut(line, before); found {
			line = after
		}
	}
	return strings.TrimSuffix(line, " (recovered by wazero)")
}

// exportReport gives the program the function on which package testmain reports.
func exportReport(ctx context.Context, engine wazero.Runtime, report io.Writer) (api.Closer, error) {
	module, err := engine.NewHostModuleBuilder(wire.HostModule).NewFunctionBuilder().
		WithFunc(func(_ context.Context, m api.Module, address, size uint32) {
			// Outside its memory there is nothing to read.
			if p, ok := m.Memory().Read(address, size); ok {
				report.Write(p)
			}
		}).Export(wire.HostFunction).Instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("set up the report's channel: %w", err)
	}
	return module, nil
}
