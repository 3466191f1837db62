package verdict_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/verdict"
)

// A cachedBuild is a Builder that builds once and returns that build every time. Tests that only run the program save
// the time to link it again.
type cachedBuild struct {
	builder verdict.Builder
	build   *execution.Build
	close   func() error
}

func (r *cachedBuild) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
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

// A cachedRun is a Builder and Runner that builds identical sources once, and runs each part of an identical binary
// once. Wrong solutions and forgeries that differ only in files that are set aside give identical sources.
type cachedRun struct {
	builder verdict.Builder
	runner  verdict.Runner
	mu      sync.Mutex
	builds  map[[sha256.Size]byte]func() (*execution.Build, error)
	runs    map[string]func() (*execution.TestRun, error) // by binary and part
	closing []func() error
}

func newCachedRun(c verdict.Checker) *cachedRun {
	return &cachedRun{builder: c.Builder, runner: c.Runner,
		builds: map[[sha256.Size]byte]func() (*execution.Build, error){},
		runs:   map[string]func() (*execution.TestRun, error){}}
}

func (s *cachedRun) Engine() string { return s.runner.Engine() }

func (s *cachedRun) BuildTest(_ context.Context, src execution.Source) (*execution.Build, error) {
	key := sha256.Sum256(fmt.Append(nil, src)) // fmt prints maps in order
	s.mu.Lock()
	build, ok := s.builds[key]
	if !ok {
		build = sync.OnceValues(func() (*execution.Build, error) {
			b, err := s.builder.BuildTest(context.Background(), src)
			if err != nil {
				return nil, err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.closing = append(s.closing, b.Close)
			b.Close = func() error { return nil }
			return b, nil
		})
		s.builds[key] = build
	}
	s.mu.Unlock()
	return build()
}

func (s *cachedRun) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	program, err := s.runner.Load(context.Background(), binary)
	return cachedProgram{s, binary, program}, err
}

type cachedProgram struct {
	s      *cachedRun
	binary string
	execution.TestProgram
}

func (p cachedProgram) Run(_ context.Context, part string) (*execution.TestRun, error) {
	key := p.binary + " " + part
	p.s.mu.Lock()
	run, ok := p.s.runs[key]
	if !ok {
		run = sync.OnceValues(func() (*execution.TestRun, error) {
			return p.TestProgram.Run(context.Background(),
				part)
		})
		p.s.runs[key] = run
	}
	p.s.mu.Unlock()
	return run()
}

func (s *cachedRun) close() {
	for _, f := range s.closing {
		f()
	}
}
