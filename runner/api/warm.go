package api

import (
	"context"
	"errors"
	"time"
)

// warming is the state of compiling the standard library for WebAssembly. A Go installation has only its source, and a
// package is compiled into the build cache when a program on the machine imports it for the first time.
type warming struct {
	ready chan struct{} // closed when the packages that every program needs are compiled, or failed to
	ended chan struct{} // closed when all packages are compiled, or failed to
}

// over reports whether the whole standard library is compiled.
func (w *warming) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// await waits for an event or for ctx, and then returns the cause.
func await(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// warm compiles the standard library: first the packages that checks and small programs need, and then the rest, once
// the site is built and while requests are answered. A failure is logged; each request then compiles the packages that
// it needs.
func (s *Server) warm(ctx context.Context, prepared <-chan struct{}) {
	defer close(s.warming.ended)

	if s.tools == nil {
		close(s.warming.ready)
		return
	}
	start := time.Now()
	s.log.Info("preparing the toolchain: on a new machine the first check waits about a minute")
	err := errors.Join(s.tools.checks.prepare(ctx, s.tools.isolated, s.catalog), s.tools.isolated.Prepare(ctx, "fmt"))
	close(s.warming.ready)
	if err == nil {
		s.log.Info("ready to check and run", "ms", time.Since(start).Milliseconds())
		if err = await(ctx, prepared); err == nil {
			err = prepareStd(ctx, s.tools.toolchain)
		}
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.log.Warn("preparing the toolchain failed: requests may be slow", "error", err)
	default:
		s.log.Info("the whole standard library is compiled", "ms", time.Since(start).Milliseconds())
	}
}

// warmFurther opens the releases of --releases, and then compiles the standard library for each.
func (s *Server) warmFurther(ctx context.Context) {
	if s.tools == nil {
		return
	}
	s.openFurther(ctx)
	for _, t := range s.tools.further.list() {
		if err := prepareStd(ctx, t); err != nil && ctx.Err() == nil {
			s.log.Warn("preparing a release failed: requests may be slow", "release", t.release.Version, "error", err)
		}
	}
}

// prepareStd compiles the whole standard library.
func prepareStd(ctx context.Context, t toolchain) error {
	std, err := t.isolated.Std(ctx)
	if err != nil {
		return err
	}
	return t.isolated.Prepare(ctx, std...)
}
