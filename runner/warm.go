package main

import (
	"context"
	"sync/atomic"
	"time"

	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// warming tells how far the standard library is compiled. A Go installation holds its source only, and the first program on a
// machine that imports a package has it compiled, for WebAssembly, into the build cache.
type warming struct {
	ready     chan struct{} // closed when what every request needs is compiled, or could not be
	stop      context.CancelFunc
	stopped   context.Context
	completed atomic.Bool
}

func (w *warming) init() {
	w.ready = make(chan struct{})
	w.stopped, w.stop = context.WithCancel(context.Background())
}

// wait waits until what every request needs is compiled.
func (w *warming) wait(ctx context.Context) error {
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// over reports whether all of the standard library is compiled.
func (w *warming) over() bool { return w.completed.Load() }

func (s *server) stopWarming() { s.warming.stop() }

// warmLimits allow for compiling the standard library on a slow machine.
var warmLimits = toolchain.Limits{Time: 30 * time.Minute, Output: 8 << 20}

// warm compiles the standard library: first what checks and small programs need, then, beside the requests, the rest. Where
// that fails the log says so; requests then compile for themselves.
func (s *server) warm(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.warming.stopped, cancel)()
	t := toolchain.NewWasm(warmLimits)

	start := time.Now()
	s.log.Info("preparing the toolchain: on a new machine the first check waits about a minute")
	err := s.warmFirst(ctx, t)
	close(s.warming.ready)
	if err == nil {
		s.log.Info("ready to check and run", "ms", time.Since(start).Milliseconds())
		err = s.warmRest(ctx, t)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.log.Warn("preparing the toolchain failed: requests may be slow", "error", err)
	default:
		s.warming.completed.Store(true)
		s.log.Info("the whole standard library is compiled", "ms", time.Since(start).Milliseconds())
	}
}

// warmFirst makes what a request would make: a program, vetted, and a check.
func (s *server) warmFirst(ctx context.Context, t *toolchain.Toolchain) error {
	if err := t.Warm(ctx, "fmt"); err != nil {
		return err
	}
	if len(s.catalog) == 0 {
		return nil
	}
	e := s.catalog[0]
	_, err := verdict.Checker{Builder: t, Runner: sandbox.Wasm{Limits: s.config.check}}.Check(ctx, e, e.Starter())
	return err
}

func (s *server) warmRest(ctx context.Context, t *toolchain.Toolchain) error {
	std, err := t.Std(ctx)
	if err != nil {
		return err
	}
	return t.Warm(ctx, std...)
}
