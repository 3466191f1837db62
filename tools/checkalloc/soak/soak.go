package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// Exit codes.
const (
	exitSame      = 0
	exitDifferent = 1
	exitFailed    = 2
)

// engines make a checker by the name of the engine. The caller calls done after the last check.
var engines = map[string]func() (c verdict.Checker, done func() error){
	"native": func() (verdict.Checker, func() error) {
		return verdict.Checker{Builder: build.New(build.DefaultLimits()), Runner: sandbox.Native{Limits: limits()}},
			func() error { return nil }
	},
	"wasm": func() (verdict.Checker, func() error) {
		compiled := wazero.NewCompilationCache() // compiling takes more than half of a check, and is deterministic
		return verdict.Checker{
				Builder: build.NewWasm(build.DefaultLimits()),
				Runner:  sandbox.Wasm{Limits: limits(), Compiled: compiled},
			},
			func() error { return compiled.Close(context.Background()) }
	},
}

// limits returns the limits of a check with three times the time, because other processes use the processors.
func limits() sandbox.Limits {
	l := sandbox.CheckLimits()
	l.Time *= 3
	return l
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) == 1 && args[0] == burnFlag {
		burn(os.Stdin)
		return exitSame
	}
	code, err := soakAll(ctx, args, out, errs)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(errs, "soak:", err)
		return exitFailed
	}
	return code
}

func soakAll(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(errs)
	n := flags.Int("n", 200, "how often each is checked")
	every := flags.Int("build", 50, "build anew before every so many checks")
	names := flags.String("engine", "native,wasm", "what to run on, separated by commas")
	if err := flags.Parse(args); err != nil {
		return exitFailed, err
	}
	if *n < 1 || *every < 1 {
		return exitFailed, errors.New("-n and -build are 1 at least")
	}
	exercises, err := selectExercises(flags.Args())
	if err != nil {
		return exitFailed, err
	}
	var using []string
	for name := range strings.SplitSeq(*names, ",") {
		if engines[name] == nil {
			return exitFailed, fmt.Errorf("no engine %q: it is native or wasm", name)
		}
		using = append(using, name)
	}
	stop, err := startBurning()
	if err != nil {
		return exitFailed, err
	}
	defer stop()

	code := exitSame
	fmt.Fprintf(out, "%-12s %-8s %-6s %5s %8s  %s\n", "exercise", "what", "engine", "runs", "time", "answer")
	for _, e := range exercises {
		for _, what := range []string{"starter", "solution"} {
			for _, name := range using {
				checker, done := engines[name]()
				s := soak{exercise: e, what: what, checker: checker, runs: *n, every: *every,
					progress: func(i int) { fmt.Fprintf(errs, "%s %s %s %d/%d\n", e.ID, what, name, i, *n) }}
				begin := time.Now()
				first, different, err := s.run(ctx)
				if err = errors.Join(err, done()); err != nil {
					return exitFailed, fmt.Errorf("%s, %s, %s: %w", e.ID, what, name, err)
				}
				fmt.Fprintf(
					out,
					"%-12s %-8s %-6s %5d %8s  %s\n",
					e.ID,
					what,
					name,
					s.done,
					time.Since(begin).Round(time.Second/10),
					first.summary,
				)
				if different != nil {
					code = exitDifferent
					fmt.Fprintf(
						out,
						"check %d says something else than those before:\n%s\nbefore:\n%s\n",
						s.done,
						different.full,
						first.full,
					)
				}
			}
		}
	}
	return code, nil
}

// selectExercises returns the exercises with these names, or all if there are none.
func selectExercises(ids []string) (exercise.Catalog, error) {
	catalog, err := exercise.Sealed()
	if err != nil || len(ids) == 0 {
		return catalog, err
	}
	var list exercise.Catalog
	for _, id := range ids {
		e := catalog.Lookup(id)
		if e == nil {
			return nil, fmt.Errorf("no exercise %q", id)
		}
		list = append(list, e)
	}
	return list, nil
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
func (s *soak) run(ctx context.Context) (first result, different *result, err error) {
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

// A result is the part of a verdict that has to be the same each time: everything but the times.
type result struct {
	summary string // one line
	full    string
}

func resultOf(v *verdict.Verdict) result {
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
	return result{fmt.Sprintf("%s, lines that allocate: %d", summary, len(v.Allocations)), w.String()}
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
