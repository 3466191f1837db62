package author

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/tetratelabs/wazero"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// patientLimits returns the limits of a check with three times the time, because the processors may have other work.
func patientLimits() sandbox.Limits {
	l := sandbox.CheckLimits()
	l.Time *= 3
	return l
}

// Soak proves that the same input gives the same verdict on a busy machine. It checks the starter and the solution of
// the exercises that are named, or of all, many times while all processors are busy, natively and under WebAssembly
// unless an engine is chosen. The exit code is 1 if a verdict differs from the first.
func (a *Author) Soak(ctx context.Context, ids []string) (code int, err error) {
	if a.Runs < 1 || a.RunsPerBuild < 1 {
		return 0, app.Usagef("dev soak: --runs and --build must be at least 1")
	}
	engines := []string{app.Native, app.Wasm}
	if a.Engine != "" {
		engines = []string{a.Engine}
	}
	if !slices.Contains([]string{app.Native, app.Wasm}, engines[0]) {
		return 0, app.Usagef("dev soak does not run with --engine %s: use native or wasm", a.Engine)
	}
	exercises, err := a.load(ids)
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for range runtime.NumCPU() { // keep all processors busy
		go func() {
			for ctx.Err() == nil {
			}
		}()
	}

	fmt.Fprintf(a.Out, "%-12s %-8s %-6s %5s %8s  %s\n", "exercise", "what", "engine", "runs", "time", "answer")
	for _, e := range exercises {
		for _, what := range []string{"starter", "solution"} {
			files := e.Starter()
			if what == "solution" {
				files = e.Solution
			}
			for _, engine := range engines {
				fmt.Fprintf(a.Err, "checking the %s of %s on %s\n", what, e.ID, engine)
				begin := time.Now()
				compiled := wazero.NewCompilationCache() // compiling takes more than half of a check, and is deterministic
				done, verdicts, err := a.soak(ctx, e, files, soakChecker(engine, compiled))
				if err := errors.Join(err, compiled.Close(context.Background())); err != nil {
					return 0, fmt.Errorf("%s, %s, %s: %w", e.ID, what, engine, err)
				}
				fmt.Fprintf(a.Out, "%-12s %-8s %-6s %5d %8s  %s\n", e.ID, what, engine, done,
					time.Since(begin).Round(time.Second/10), summary(verdicts[0]))
				if len(verdicts) > 1 {
					code = app.ExitNotYet
					fmt.Fprintf(a.Out, "check %d has another verdict than those before:\n%s\nbefore:\n%s\n", done,
						withoutTimes(verdicts[1]), withoutTimes(verdicts[0]))
				}
			}
		}
	}
	return code, nil
}

func soakChecker(engine string, compiled wazero.CompilationCache) verdict.Checker {
	if engine == app.Native {
		return verdict.Checker{Builder: build.New(build.DefaultLimits()), Runner: sandbox.Native{Limits: patientLimits()}}
	}
	return verdict.Checker{Builder: build.NewWasm(build.DefaultLimits()),
		Runner: sandbox.Wasm{Limits: patientLimits(), Compiled: compiled}}
}

// soak checks files as often as a.Runs says. It returns the first verdict and, if one differs from it, that one, with
// the number of checks until then.
func (a *Author) soak(ctx context.Context, e *exercise.Exercise, files map[string][]byte, checker verdict.Checker) (
	done int, verdicts []*verdict.Verdict, err error,
) {
	builds := &cachingBuilder{Builder: checker.Builder}
	checker.Builder = builds
	defer func() { err = errors.Join(err, builds.close()) }()
	for done < a.Runs {
		if done%a.RunsPerBuild == 0 {
			if err := builds.close(); err != nil {
				return done, nil, err
			}
		}
		v, err := checker.Check(ctx, e, files)
		if err != nil {
			return done, nil, err
		}
		if done++; done == 1 || withoutTimes(v) != withoutTimes(verdicts[0]) {
			verdicts = append(verdicts, v)
		}
		if len(verdicts) > 1 {
			break
		}
	}
	return done, verdicts, nil
}

// withoutTimes returns the part of a verdict that has to be the same each time: everything but the times and the live
// bytes.
func withoutTimes(v *verdict.Verdict) string {
	same := *v
	same.Benchmarks = append([]verdict.Benchmark{}, v.Benchmarks...)
	for i := range same.Benchmarks {
		same.Benchmarks[i].NsPerOp, same.Benchmarks[i].LiveBytesPerOp = 0, nil
	}
	text, err := json.Marshal(same)
	if err != nil {
		return err.Error() // a figure that is no number
	}
	return string(text)
}

// summary returns a verdict in one line.
func summary(v *verdict.Verdict) string {
	text := "passes"
	if !v.Pass {
		text = "fails at " + v.Stage
	}
	for _, b := range v.Benchmarks {
		text += fmt.Sprintf(", %s %s %s B/op", b.Name, verdict.FormatAllocs(b.AllocsPerOp),
			verdict.FormatBytes(b.BytesPerOp))
	}
	return fmt.Sprintf("%s, lines that allocate: %d", text, len(v.Allocations))
}

// A cachingBuilder builds once until it is closed, and returns the same build again.
type cachingBuilder struct {
	verdict.Builder
	build  *execution.Build
	remove func() error
}

func (b *cachingBuilder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	if b.build == nil {
		build, err := b.Builder.BuildTest(ctx, src)
		if err != nil {
			return nil, err
		}
		b.build, b.remove = build, build.Close
		build.Close = func() error { return nil } // close removes it
	}
	return b.build, nil
}

func (b *cachingBuilder) close() error {
	if b.build == nil {
		return nil
	}
	b.build = nil
	return b.remove()
}
