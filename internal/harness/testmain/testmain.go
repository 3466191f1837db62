// Package testmain runs inside the test binary that a check builds: it runs the package's tests, then measures its benchmarks,
// and reports both as package wire describes.
//
// Its source is laid into the checked module beside the solver's package, so it may import the standard library only.
package testmain

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"onthestack/internal/harness/wire"
)

// orphanTime is longer than any checker lets a program run.
const orphanTime = 2 * time.Minute

// Run is the body of a TestMain: it runs the tests that m holds and, when they pass, each of the benchmarks. It returns the
// exit code of the tests, or 2 with a message on stderr when the report could not be written.
func Run(m *testing.M, benchmarks []testing.InternalBenchmark) int {
	channel, err := openChannel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot open the report:", err)
		return 2
	}
	// A checker that was killed stops nothing any more: the program then ends by itself.
	time.AfterFunc(orphanTime, func() { os.Exit(2) })
	code := m.Run()
	if err := report(channel, code, benchmarks); err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc: cannot write the report:", err)
		return 2
	}
	return code
}

// report writes an event as soon as its part is over.
func report(channel io.Writer, code int, benchmarks []testing.InternalBenchmark) error {
	events := json.NewEncoder(channel)
	if err := events.Encode(wire.Event{Tests: &wire.Tests{Code: code}}); err != nil {
		return err
	}
	if code == 0 {
		quiet()
		for _, b := range benchmarks {
			measured, err := measure(b)
			if err != nil {
				return err
			}
			if err := events.Encode(wire.Event{Benchmark: &measured}); err != nil {
				return err
			}
		}
	}
	return events.Encode(wire.Event{Done: true})
}
