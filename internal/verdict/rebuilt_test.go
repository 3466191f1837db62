package verdict_test

import (
	"context"

	"onthestack/internal/verdict"
)

// rebuilt builds once and hands the same build out again: a test that only runs programs often need not link them as often.
type rebuilt struct {
	builder verdict.Builder
	build   *verdict.Build
	close   func() error
}

func (r *rebuilt) BuildTest(ctx context.Context, src verdict.Source) (*verdict.Build, error) {
	if r.build == nil {
		b, err := r.builder.BuildTest(ctx, src)
		if err != nil {
			return nil, err
		}
		r.build, r.close = b, b.Close
		b.Close = func() error { return nil }
	}
	return r.build, nil
}
