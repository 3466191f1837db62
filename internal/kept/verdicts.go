package kept

import (
	"context"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// Dir is the folder, slash-separated from the repository's, where "make test" and "make proof" keep verdicts, and Code the folder of
// the code that they depend on.
const (
	Dir  = ".cache/kept"
	Code = "internal"
)

// A Checker checks as a verdict.Checker does, and keeps the verdicts.
type Checker struct {
	verdict.Checker
	Store *Store
	// Go is the release that the Builder builds with, "go1.26.8".
	Go string
}

// Check is as verdict.Checker.Check. A verdict is kept of what passes and of what misses its target: what ends earlier may have met a
// limit, at which a machine that does much else arrives sooner.
func (c Checker) Check(ctx context.Context, e *exercise.Exercise, files map[string][]byte) (*verdict.Verdict, error) {
	sealed := *e
	sealed.Figures = nil // a check does not look at what was measured before
	name, archive, err := exercise.Seal(&sealed)
	if err != nil {
		return nil, err
	}
	return Get(c.Store, func() (*verdict.Verdict, bool, error) {
		v, err := c.Checker.Check(ctx, e, files)
		return v, err == nil && (v.Pass || v.Stage == verdict.StageBenchmark), err
	}, "verdict", c.Runner.Engine(), c.Racer != nil, c.Go, name, archive, files)
}
