package toolchain

import (
	"context"

	"onthestack/internal/verdict"
)

// TestRace runs the package's tests under the race detector, which needs a C compiler. OK says that they passed, Output what
// they printed.
func (t *Toolchain) TestRace(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	return t.build(ctx, src, "test", "-race", "-count=1")
}
