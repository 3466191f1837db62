// Package testmain runs inside the test binary that a check builds: it runs the package's tests or, in another process,
// measures its benchmarks, and reports as package wire describes. Tests can damage their process's memory, by data
// races for example, so benchmarks are measured in a process that ran none.
//
// How many operations a benchmark is measured for is in measure.go for an exercise, and in steady.go for a package of
// the user. Over how many more a pass is confirmed is in confirm.go.
//
// The source is copied into the checked module beside the solver's package, so it may import only the standard library,
// and of that only what package testing links anyway: under WebAssembly, making a binary ready to run takes longer the
// more code it has, and longer than the rest of a check.
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

// maxStack bounds a goroutine's stack, in bytes: about 200,000 calls of a small function. The runtime's own limit of 1
// GB is more than the memory under WebAssembly, and natively takes seconds to reach, so endless recursion would be
// reported as something else.
const maxStack = 16 << 20

// A Benchmark is a benchmark function and its targets: the allocs/op, B/op and live B/op that it may reach at most, or
// NoTarget.
type Benchmark struct {
	Name                string
	F                   func(*testing.B)
	Allocs, Bytes, Live float64
	// Confirm are the benchmark functions that confirm a pass, with inputs of other classes. Each has to meet the same
	// targets by itself, so that cheap operations of one class cannot make up for expensive ones of another. The first
	// also measures the live bytes.
	Confirm []testing.InternalBenchmark
}

// NoTarget is above every figure, and stands for a target that an exercise does not have.
const NoTarget = math.MaxFloat64

// Run is the body of a TestMain: it runs the tests or measures the benchmarks, whichever the program's last argument
// names. It returns the exit code of the tests, or 2 with a message on stderr if the report could not be written. It
// may be called once.
//
// Its caller passes the tests rather than a testing.M, since a program that "go test" did not build has none.
func Run(tests []testing.InternalTest, benchmarks []Benchmark) int {
	channel, err := openChannel(orphanTime)
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot open the report:", err)
		return 2
	}
	debug.SetMaxStack(maxStack)
	runtime.MemProfileRate = 0
	if runtime.GOOS == "js" {
		debug.SetMemoryLimit(memoryLimit())
	}
	code := 0
	switch part := os.Args[len(os.Args)-1]; part {
	case wire.Tests:
		code = testing.MainStart(deps{}, tests, nil, nil, nil).Run()
		_, err = channel.Write(wire.AppendDone(wire.AppendTests(nil, code)))
	case wire.Benchmarks:
		// Package testing parses its flags when it runs tests.
		nothing := []testing.InternalTest{{Name: "TestNothing", F: func(*testing.T) {}}}
		testing.MainStart(deps{}, nothing, nil, nil, nil).Run()
		err = report(channel, benchmarks)
	default:
		fmt.Fprintf(os.Stderr, "checkalloc: the last argument is %q: want %s or %s\n",
			part, wire.Tests, wire.Benchmarks)
		return 2
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot write the report:", err)
		return 2
	}
	return code
}

// report measures the benchmarks, and writes the event of each as soon as it is measured.
func report(channel io.Writer, benchmarks []Benchmark) error {
	if _, err := channel.Write(wire.AppendMeasuring(nil)); err != nil {
		return err
	}
	disableGC()
	for _, b := range benchmarks {
		measured, err := measure(b, operations)
		if err != nil {
			return err
		}
		if _, err := channel.Write(wire.AppendBenchmark(nil, measured)); err != nil {
			return err
		}
		if measured.Confirmed == 0 {
			continue
		}
		for i := range b.Confirm {
			confirmed, err := confirm(b.confirmation(i), operations*confirmFactor())
			if err != nil {
				return err
			}
			if _, err := channel.Write(wire.AppendBenchmark(nil, confirmed)); err != nil {
				return err
			}
		}
	}
	_, err := channel.Write(wire.AppendDone(nil))
	return err
}
