package verdict

import (
	"context"

	"onthestack/internal/execution"
)

// The values of Tests.Race for tests that ran under the race detector.
const (
	RacePassed = "passed"
	RaceFailed = "failed"
)

// raceNotRun begins the value of Tests.Race for tests that did not run under the race detector; the reason follows.
const raceNotRun = "not run: "

// RaceOperations is how many operations of each benchmark run under the race detector if a solution may start
// goroutines, which could otherwise race for inputs that only the benchmark has. It is more than the operations with
// the usual input that exercises begin with.
const RaceOperations = 2000

// race runs the tests of p once more, under the race detector, and completes v.Tests.
func (c Checker) race(ctx context.Context, v *Verdict, p *Package) error {
	if c.Racer == nil {
		v.Tests.Race = raceNotRun + "the sandbox has no race detector"
		return nil
	}
	operations := 0
	if p.goroutines {
		operations = RaceOperations
	}
	r, missing, err := c.Racer.TestRace(ctx, p.plain(), operations)
	if err != nil {
		return err
	}
	if missing != "" {
		v.Tests.Race = raceNotRun + "the race detector needs " + missing
		return nil
	}
	v.Tests.Race = RacePassed
	if !r.Passed {
		v.Tests.Race = RaceFailed
		v.Tests.Failed = max(1, countFailed(p.tests, r.Output))
		v.Tests.Output = shorten(r.Output)
		switch {
		case r.Stop.Kind != execution.NotStopped:
			v.Tests.Output = "under the race detector: go test " + r.Stop.String() + "\n" + v.Tests.Output
		case !r.Built:
			v.Tests.Output = "with the race detector, under the build tag race, the code does not compile:\n" +
				v.Tests.Output
		}
	}
	return nil
}
