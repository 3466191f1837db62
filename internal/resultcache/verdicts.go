package resultcache

import (
	"context"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// VerdictCode returns the packages that compute verdicts, with each builder and runner, for Open.
func VerdictCode() []string {
	return []string{"./internal/resultcache", "./internal/build", "./internal/sandbox"}
}

// A Checker is a verdict.Checker that caches its verdicts.
type Checker struct {
	verdict.Checker
	Cache *Cache
	// Go is the release that the Builder uses, such as "go1.26.8".
	Go string
	// Fails is the stage at which the code is known to fail, "" for none. A failure there is cached too.
	Fails string
}

// Check is like verdict.Checker.Check. It caches verdicts that pass or that miss a target. An earlier failure is not
// cached, because it may be due to a limit that is reached only on a busy machine, unless it is the expected one.
func (c Checker) Check(ctx context.Context, e *exercise.Exercise, files map[string][]byte) (*verdict.Verdict, error) {
	name, archive, err := exercise.SealWithoutFigures(e)
	if err != nil {
		return nil, err
	}
	return Get(c.Cache, func() (*verdict.Verdict, bool, error) {
		v, err := c.Checker.Check(ctx, e, files)
		return v, err == nil && (v.Pass || v.Stage == verdict.StageBenchmark || v.Stage == c.Fails), err
	}, "verdict", c.Runner.Engine(), c.Racer != nil, c.Serial != nil, c.Go, name, archive, files)
}
