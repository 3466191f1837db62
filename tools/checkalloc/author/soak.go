package author

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// soakEngines make a checker by the name of the engine. The caller calls done after the last check.
var soakEngines = map[string]func() (c verdict.Checker, done func() error){
	app.Native: func() (verdict.Checker, func() error) {
		return verdict.Checker{Builder: build.New(build.DefaultLimits()),
				Runner: sandbox.Native{Limits: patientLimits()}},
			func() error { return nil }
	},
	app.Wasm: func() (verdict.Checker, func() error) {
		compiled := wazero.NewCompilationCache() // compiling takes more than half of a check, and is deterministic
		return verdict.Checker{
				Builder: build.NewWasm(build.DefaultLimits()),
				Runner:  sandbox.Wasm{Limits: patientLimits(), Compiled: compiled},
			},
			func() error { return compiled.Close(context.Background()) }
	},
}

// patientLimits returns the limits of a check with three times the time, because the processors may have other work.
func patientLimits() sandbox.Limits {
	l := sandbox.CheckLimits()
	l.Time *= 3
	return l
}

// Soak proves that the same input gives the same verdict on a busy machine. It checks the starter and the solution of
// the exercises that are named, or of all, many times while all processors are busy, natively and under WebAssembly
// unless an engine is chosen. The exit code is 1 if a verdict differs from the first.
func (a *Author) Soak(ctx context.Context, ids []string) (int, error) {
	if a.Runs < 1 || a.RunsPerBuild < 1 {
		return 0, app.Usagef("dev soak: --runs and --build must be at least 1")
	}
	engines := []string{app.Native, app.Wasm}
	if a.Engine != "" {
		engines = []string{a.Engine}
	}
	if soakEngines[engines[0]] == nil {
		return 0, app.Usagef("dev soak does not run with --engine %s: use native or wasm", a.Engine)
	}
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	keepBusy(ctx)

	code := app.ExitPassed
	fmt.Fprintf(a.Out, "%-12s %-8s %-6s %5s %8s  %s\n", "exercise", "what", "engine", "runs", "time", "answer")
	for _, e := range exercises {
		for _, what := range []string{"starter", "solution"} {
			for _, engine := range engines {
				same, err := a.soakOne(ctx, e, what, engine)
				if err != nil {
					return 0, fmt.Errorf("%s, %s, %s: %w", e.ID, what, engine, err)
				}
				if !same {
					code = app.ExitNotYet
				}
			}
		}
	}
	return code, nil
}

// keepBusy keeps all processors busy until ctx is done.
func keepBusy(ctx context.Context) {
	for range runtime.NumCPU() {
		go func() {
			for ctx.Err() == nil {
			}
		}()
	}
}

// soakOne checks the starter or the solution of an exercise many times, prints a row about it, and reports whether all
// verdicts were the same.
func (a *Author) soakOne(ctx context.Context, e *exercise.Exercise, what, engine string) (same bool, err error) {
	checker, done := soakEngines[engine]()
	defer func() { err = errors.Join(err, done()) }()
	s := soak{exercise: e, what: what, checker: checker, runs: a.Runs, every: a.RunsPerBuild,
		progress: func(i int) { fmt.Fprintf(a.Err, "%s %s %s %d/%d\n", e.ID, what, engine, i, a.Runs) }}
	begin := time.Now()
	first, different, err := s.run(ctx)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(a.Out, "%-12s %-8s %-6s %5d %8s  %s\n", e.ID, what, engine, s.done,
		time.Since(begin).Round(time.Second/10), first.summary)
	if different != nil {
		fmt.Fprintf(a.Out, "check %d has another verdict than those before:\n%s\nbefore:\n%s\n", s.done, different.full,
			first.full)
	}
	return different == nil, nil
}

// A soak checks the starter or the solution of one exercise many times.
type soak struct {
	exercise    *exercise.Exercise
	what        string
	checker     verdict.Checker
	runs, every int
	progress    func(done int)
	done        int // the number of checks that were made
}

// run returns the result of the first check, and the first result that differs from it, or nil if all are the same.
func (s *soak) run(ctx context.Context) (first soakResult, different *soakResult, err error) {
	files := s.exercise.Starter()
	if s.what == "solution" {
		files = s.exercise.Solution
	}
	builder := s.checker.Builder
	reported := time.Now()
	for s.done < s.runs {
		b := &cachingBuilder{builder: builder}
		s.checker.Builder = b
		for range min(s.every, s.runs-s.done) {
			v, err := s.checker.Check(ctx, s.exercise, files)
			if err != nil {
				return first, nil, errors.Join(err, b.close())
			}
			s.done++
			got := resultOf(v)
			if s.done == 1 {
				first = got
			} else if got != first {
				return first, &got, b.close()
			}
			if time.Since(reported) > 10*time.Second {
				reported = time.Now()
				s.progress(s.done)
			}
		}
		if err := b.close(); err != nil {
			return first, nil, err
		}
	}
	return first, nil, nil
}

// A soakResult is the part of a verdict that has to be the same each time: everything but the times.
type soakResult struct {
	summary string // one line
	full    string
}

func resultOf(v *verdict.Verdict) soakResult {
	summary := "passes"
	if !v.Pass {
		summary = "fails at " + v.Stage
	}
	for _, b := range v.Benchmarks {
		summary += fmt.Sprintf(
			", %s %s %s B/op",
			b.Name,
			verdict.FormatAllocs(b.AllocsPerOp),
			verdict.FormatBytes(b.BytesPerOp),
		)
	}
	var w strings.Builder
	fmt.Fprintf(&w, "pass %v, stage %q, tests %+v, errors %v\n", v.Pass, v.Stage, v.Tests, v.Errors)
	for _, b := range v.Benchmarks {
		fmt.Fprintf(&w, "%s: %v allocs/op, %v B/op, pass %v\n", b.Name, b.AllocsPerOp, b.BytesPerOp, b.Pass)
	}
	for _, a := range v.Allocations {
		fmt.Fprintf(&w, "%s, %s:%d: %v allocs/op, %v B/op, shared %v, %s, callees %v, reasons %v\n",
			a.Benchmark, a.File, a.Line, a.AllocsPerOp, a.BytesPerOp, a.Shared, a.Why, a.Callees, a.Reasons)
	}
	fmt.Fprintf(&w, "escapes %v\n", v.Escapes)
	return soakResult{fmt.Sprintf("%s, lines that allocate: %d", summary, len(v.Allocations)), w.String()}
}

// A cachingBuilder builds once, and returns the same build again.
type cachingBuilder struct {
	builder verdict.Builder
	build   *execution.Build
	remove  func() error
}

func (b *cachingBuilder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	if b.build == nil {
		build, err := b.builder.BuildTest(ctx, src)
		if err != nil {
			return nil, err
		}
		b.build, b.remove = build, build.Close
		build.Close = func() error { return nil } // close removes it
	}
	return b.build, nil
}

func (b *cachingBuilder) close() error {
	if b.remove == nil {
		return nil
	}
	return b.remove()
}
