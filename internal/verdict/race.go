package verdict

import (
	"context"

	"onthestack/internal/execution"
)

// RaceOperations is how many operations of each benchmark run under the race detector before a solution passes that may
// start goroutines, which could otherwise race for inputs that only the benchmarks have. It is more than the operations
// that exercises are measured with.
const RaceOperations = 2000

// race runs the tests of p once more, under the race detector, or that many operations of its benchmarks, and completes
// v.Tests. ok is false if they fail there.
func (c Checker) race(ctx context.Context, v *Verdict, p *Package, operations int) (ok bool, err error) {
	if c.Racer == nil {
		v.Tests.Race = Race{RaceNotRun, "the sandbox has no race detector"}
		return true, nil
	}
	r, missing, err := c.Racer.TestRace(ctx, p.plain(), operations)
	if err != nil {
		return false, err
	}
	if missing != "" {
		v.Tests.Race = Race{RaceNotRun, "the race detector needs " + missing}
		return true, nil
	}
	if r.Passed {
		v.Tests.Race = Race{State: RacePassed}
		return true, nil
	}
	v.Tests.Race = Race{State: RaceFailed}
	v.Tests.Output = shorten(r.Output)
	if operations == 0 {
		v.Tests.Failed = max(1, countFailed(p.tests, r.Output))
	}
	switch {
	case r.Stop.Kind != execution.NotStopped:
		v.Tests.Output = "under the race detector: go test " + r.Stop.String() + "\n" + v.Tests.Output
	case !r.Built:
		v.Tests.Output = "with the race detector, under the build tag race, the code does not compile:\n" +
			v.Tests.Output
	case operations > 0:
		v.Tests.Output = "the benchmarks failed under the race detector:\n" + v.Tests.Output
	}
	return false, nil
}
