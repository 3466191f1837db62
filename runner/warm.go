package main

import (
	"context"
	"time"
)

// warming tells how far the standard library is compiled. A Go installation holds its source only, and the first program on a
// machine that imports a package has it compiled, for WebAssembly, into the build cache.
type warming struct {
	ready   chan struct{} // closed when what every request needs is compiled, or could not be
	ended   chan struct{} // closed when all of it is, or could not be
	stop    context.CancelFunc
	stopped context.Context
}

func (w *warming) init() {
	w.ready, w.ended = make(chan struct{}), make(chan struct{})
	w.stopped, w.stop = context.WithCancel(context.Background())
}

// wait waits until what every request needs is compiled.
func (w *warming) wait(ctx context.Context) error { return await(ctx, w.ready) }

// end waits until all of the standard library is compiled.
func (w *warming) end(ctx context.Context) error { return await(ctx, w.ended) }

// over reports whether end would not wait.
func (w *warming) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

func await(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// warm compiles the standard library: first the packages that checks and small programs need; then, once the site is prepared and while
// requests are served, the rest. A failure is logged; each request then compiles the packages that it needs.
func (s *server) warm(ctx context.Context, prepared <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.warming.stopped, cancel)()
	defer close(s.warming.ended)

	start := time.Now()
	s.log.Info("preparing the toolchain: on a new machine the first check waits about a minute")
	err := s.tools.Prepare(ctx, "fmt")
	close(s.warming.ready)
	if err == nil {
		s.log.Info("ready to check and run", "ms", time.Since(start).Milliseconds())
		if err = await(ctx, prepared); err == nil {
			err = s.warmRest(ctx)
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

func (s *server) warmRest(ctx context.Context) error {
	std, err := s.tools.Std(ctx)
	if err != nil {
		return err
	}
	return s.tools.Prepare(ctx, std...)
}
