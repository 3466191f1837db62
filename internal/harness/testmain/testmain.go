// Package testmain runs inside the test binary that a check builds: it runs the package's tests or, in another process,
// measures its benchmarks, and reports as package wire describes. A program's tests can damage its memory, by data
// races for example. What they leave behind is in no process that measures.
//
// Its source is laid into the checked module beside the solver's package, so it may import the standard library only;
// and of that only what package testing links anyway: under WebAssembly, making a binary ready to run takes longer the
// more code it has, and longer than all else in a check.
package testmain

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"onthestack/internal/harness/wire"
)

// orphanTime is longer than any checker lets the program of an exercise run.
const orphanTime = 2 * time.Minute

// maxStack bounds a goroutine's stack, in bytes: some 200,000 calls of a small function. The runtime's own limit, 1 GB,
// is beyond the memory that there is under WebAssembly, and natively takes seconds to reach; either way endless
// recursion would not be called by its name.
const maxStack = 16 << 20

// A Benchmark is a benchmark function and its targets: the allocs/op and B/op that it may reach at most, or NoTarget.
type Benchmark struct {
	Name          string
	F             func(*testing.B)
	Allocs, Bytes float64
}

// NoTarget is above every figure.
const NoTarget = math.MaxFloat64

// Run is the body of a TestMain: it runs the tests or measures the benchmarks, whichever the program's last argument
// names. It returns the exit code of the tests, or 2 with a message on stderr when the report could not be written. It
// may be called once.
//
// It takes the tests from its caller, not from a testing.M: a program that "go test" did not make has none.
func Run(tests []testing.InternalTest, benchmarks []Benchmark) int {
	channel, err := openChannel(orphanTime)
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot open the report:", err)
		return 2
	}
	debug.SetMaxStack(maxStack)
	runtime.MemProfileRate = 0
	code := 0
	switch part := os.Args[len(os.Args)-1]; part {
	case wire.Tests:
		code = testing.MainStart(deps{}, tests, nil, nil, nil).Run()
		_, err = channel.Write(wire.AppendDone(wire.AppendTests(nil, code)))
	case wire.Benchmarks:
		// Package testing reads its flags when it runs tests.
		nothing := []testing.InternalTest{{Name: "TestNothing", F: func(*testing.T) {}}}
		testing.MainStart(deps{}, nothing, nil, nil, nil).Run()
		err = report(channel, benchmarks)
	default:
		fmt.Fprintf(os.Stderr, "checkalloc: the last argument is %q: want %s or %s\n", part, wire.Tests, wire.Benchmarks)
		return 2
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot write the report:", err)
		return 2
	}
	return code
}

// report measures the benchmarks, and writes an event as soon as one is measured.
func report(channel io.Writer, benchmarks []Benchmark) error {
	if _, err := channel.Write(wire.AppendMeasuring(nil)); err != nil {
		return err
	}
	quiet()
	for _, b := range benchmarks {
		measured, err := measure(b, operations)
		if err != nil {
			return err
		}
		if _, err := channel.Write(wire.AppendBenchmark(nil, measured)); err != nil {
			return err
		}
	}
	_, err := channel.Write(wire.AppendDone(nil))
	return err
}
