package verdict_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"onthestack/internal/execution"
	"onthestack/internal/verdict"
)

// rebuilt builds once and hands the same build out again: a test that only runs programs often need not link them as
// often.
type rebuilt struct {
	builder verdict.Builder
	build   *execution.Build
	close   func() error
}

func (r *rebuilt) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
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

// sameRun builds and runs once what is the same to the last byte: submissions that differ in what is set aside do not
// differ.
type sameRun struct {
	builder verdict.Builder
	runner  verdict.Runner
	mu      sync.Mutex
	builds  map[[sha256.Size]byte]func() (*execution.Build, error)
	runs    map[string]func() (*execution.TestRun, error) // by binary and part
	closing []func() error
}

func newSameRun(c verdict.Checker) *sameRun {
	return &sameRun{builder: c.Builder, runner: c.Runner,
		builds: map[[sha256.Size]byte]func() (*execution.Build, error){},
		runs:   map[string]func() (*execution.TestRun, error){}}
}

func (s *sameRun) Engine() string { return s.runner.Engine() }

func (s *sameRun) BuildTest(_ context.Context, src execution.Source) (*execution.Build, error) {
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

func (s *sameRun) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	program, err := s.runner.Load(context.Background(), binary)
	return sameProgram{s, binary, program}, err
}

type sameProgram struct {
	s      *sameRun
	binary string
	execution.TestProgram
}

func (p sameProgram) Run(_ context.Context, part string) (*execution.TestRun, error) {
	key := p.binary + " " + part
	p.s.mu.Lock()
	run, ok := p.s.runs[key]
	if !ok {
		run = sync.OnceValues(func() (*execution.TestRun, error) { return p.TestProgram.Run(context.Background(), part) })
		p.s.runs[key] = run
	}
	p.s.mu.Unlock()
	return run()
}

func (s *sameRun) close() {
	for _, f := range s.closing {
		f()
	}
}
