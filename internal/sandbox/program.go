package sandbox

import (
	"context"
	"runtime"

	"onthestack/internal/execution"
)

// interpretFactor says how long a program is interpreted before it is compiled, as a multiple of the time that the
// interpreter needed to load it. Compiling takes five to seven times as long as loading on two free cores and eight
// times as long on one, whatever the program's size. A program that is interpreted for about as long as compiling would
// take therefore costs at most twice as much as with the better choice. A multiple also works on a busy machine, where
// a fixed time would have every program compiled.
//
// Measured on a machine with 2 cores, in seconds of processor time, from reading the binary to the last event.
// Compiling uses both cores, so that the reader waits for about half of that time:
//
//	                                         interpreted  compiled  by factor
//	hello world, 2.5 MB                          0.10       0.95       0.10
//	HTTP server and client in one, 10.9 MB       0.5        3.6        0.5
//	fib(25), recursive, 0.24 million calls       0.20       0.9        0.20
//	fib(30), 2.7 million calls                   1.2        1.05       1.7
//	fib(33), 11 million calls                    5.2        1.5        2.0
//
// Of the 0.1 s of hello world, the interpreter spends nine tenths on decoding, validating and translating it.
const interpretFactor = 5

// RunProgram implements programs.Runner: it runs a built main package, or the tests of one. The program's name is
// "prog". It has a disk of its own and no environment, and its working directory is /. Its clock starts at 2009-11-10
// 23:00:00 UTC, stands still while the program computes, and jumps ahead when all goroutines sleep, so that sleeping
// takes no time.
//
// A program that exceeds its time, or the time of ctx (see execution.StopError), has Exit 1, and its Events end with
// the Stop's Note on stderr.
//
// The program is interpreted first. If that takes too long (see interpretFactor), or its calls go deeper than the
// interpreter's stack, which has room for some thousand, it starts again compiled, with the whole of Limits.Time. The
// first run leaves no trace, because a program changes nothing outside and only the last run's output is kept; only its
// random numbers differ. A program with a function that is too large to compile is interpreted in both runs.
//
// The longest time is the sum of four parts: loading the program into the interpreter, which maxCode keeps below 2 s on
// a free core; interpretFactor times that, at most Limits.Time; Limits.Ready; and Limits.Time. With a Limits.Time of
// 5 s the sum is 32 s; the slowest program measured took 15 s. On a busy machine only the first part takes longer.
func (w Wasm) RunProgram(ctx context.Context, binary string, args ...string) (*execution.Result, error) {
	result, again, err := w.RunInterpreted(ctx, binary, args...)
	if again && err == nil {
		return w.RunCompiled(ctx, binary, args...)
	}
	return result, err
}

// RunInterpreted makes the first of the two runs of RunProgram. again reports that the second is needed; there is no
// result then.
func (w Wasm) RunInterpreted(
	ctx context.Context, binary string, args ...string,
) (result *execution.Result, again bool, err error) {
	l, err := w.read(binary)
	if err != nil {
		return nil, false, err
	}
	result, err = l.runProgram(ctx, args, true)
	if err == nil &&
		(result.Stop.Kind == execution.RunTime || l.program.compilable() && result.Stop.Kind == execution.StackDepth) {
		if l.program.size.total > maxCode/4 {
			runtime.GC() // frees the interpreter's code before the compiler needs memory
		}
		return nil, true, nil
	}
	return withStackDepth(result), false, err
}

// RunCompiled makes the second of the two runs of RunProgram. A program that cannot be compiled is interpreted there
// too, but with the whole of Limits.Time.
func (w Wasm) RunCompiled(ctx context.Context, binary string, args ...string) (*execution.Result, error) {
	l, err := w.read(binary)
	if err != nil {
		return nil, err
	}
	l.compiled = l.program.compilable()
	result, err := l.runProgram(ctx, args, false)
	return withStackDepth(result), err
}

// withStackDepth completes the output of a program that exceeded the stack of an engine. result may be nil.
func withStackDepth(result *execution.Result) *execution.Result {
	if result != nil && result.Stop.Kind == execution.StackDepth {
		result.Events = append(result.Events, execution.Event{Message: result.Stop.Note(), Kind: execution.Stderr})
		result.Stop = execution.Stop{}
	}
	return result
}

// runProgram runs the program once.
func (l *loaded) runProgram(ctx context.Context, args []string, brief bool) (*execution.Result, error) {
	c := newClock()
	meter := &execution.Meter{Left: l.Limits.Output}
	log := execution.NewLog(meter)
	defer l.Close()
	exit, stop, err := l.run(ctx, run{
		args: append([]string{"prog"}, args...), brief: brief, meter: meter, clock: c, disk: newDisk(c, l.Zones),
		stdout: eventWriter{log, c, execution.Stdout}, stderr: eventWriter{log, c, execution.Stderr},
	})
	if err != nil {
		return nil, err
	}
	switch stop.Kind {
	case execution.RunTime, execution.RequestTime:
		exit = 1
		log.Note(c.now, stop.Note())
	case execution.LoadTime:
		log.Note(c.now, stop.Note())
	}
	return &execution.Result{Events: log.Events(), Exit: exit, Stop: stop}, nil
}

// An eventWriter is stdout or stderr of a program.
type eventWriter struct {
	log   *execution.Log
	clock *clock
	kind  string
}

// Write implements io.Writer.
func (w eventWriter) Write(p []byte) (int, error) {
	w.log.Write(w.kind, w.clock.now, p)
	return len(p), nil
}
