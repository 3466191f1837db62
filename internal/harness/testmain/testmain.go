// Package testmain runs inside the test binary that a check builds: it runs the package's tests, then measures its benchmarks,
// and reports both as package wire describes.
//
// Its source is laid into the checked module beside the solver's package, so it may import the standard library only; and of
// that only what package testing links anyway: under WebAssembly, making a binary ready to run takes longer the more code it
// has, and longer than all else in a check.
package testmain

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"onthestack/internal/harness/wire"
)

// orphanTime is longer than any checker lets the program of an exercise run.
const orphanTime = 2 * time.Minute

// maxStack bounds a goroutine's stack, in bytes: some 200,000 calls of a small function. The runtime's own limit, 1 GB, is beyond
// the memory that there is under WebAssembly, and natively takes seconds to reach; either way endless recursion would not be
// called by its name.
const maxStack = 16 << 20

// Run is the body of a TestMain: it runs the tests and, when they pass, measures each of the benchmarks. It returns the exit
// code of the tests, or 2 with a message on stderr when the report could not be written. It may be called once.
//
// It takes the tests from its caller, not from a testing.M: a program that "go test" did not make has none.
func Run(tests []testing.InternalTest, benchmarks []testing.InternalBenchmark) int {
	channel, err := openChannel(orphanTime)
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot open the report:", err)
		return 2
	}
	debug.SetMaxStack(maxStack)
	runtime.MemProfileRate = 0
	code := testing.MainStart(deps{}, tests, nil, nil, nil).Run()
	if err := report(channel, code, benchmarks); err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot write the report:", err)
		return 2
	}
	return code
}

// report writes an event as soon as its part is over.
func report(channel io.Writer, code int, benchmarks []testing.InternalBenchmark) error {
	if _, err := channel.Write(wire.AppendTests(nil, code)); err != nil {
		return err
	}
	if code == 0 {
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
	}
	_, err := channel.Write(wire.AppendDone(nil))
	return err
}
