package programs

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/verdict"
)

// A Report is the compiler's escape report on a program.
type Report struct {
	// Escapes are the diagnostics on the program's own files, in source order; never nil.
	Escapes []escape.Diagnostic `json:"escapes"`
	Errors  string              `json:"errors"` // errors of the build, as in a Response
	// Verdict is what each line allocates in the program's benchmarks, and why. It is absent without a benchmark.
	Verdict *verdict.Verdict `json:"verdict,omitempty"`
}

// Unexplained returns the report on a program for which there is none, because of a problem.
func Unexplained(problem string) *Report {
	return &Report{Escapes: []escape.Diagnostic{}, Errors: problem}
}

// Explain returns the escape report on a program, and a verdict on its benchmarks if it has any.
func (p Playground) Explain(ctx context.Context, body string) (*Report, error) {
	diagnostics, problem, err := p.Escape(ctx, body)
	if err != nil {
		return nil, err
	}
	report := &Report{Escapes: diagnostics, Errors: problem}
	if problem != "" {
		return report, nil
	}
	plan, _ := p.Plan(body)
	report.Verdict, err = p.explain(ctx, plan, diagnostics)
	return report, err
}

// maxExplained bounds the report of a program's benchmarks, in bytes. The program can write to the report's channel
// too.
const maxExplained = 1 << 20

// explain measures the benchmarks of a program that builds, and joins what each line allocates with the compiler's
// diagnostics, as "checkalloc explain" does. The verdict is nil if the program has no benchmark.
func (p Playground) explain(
	ctx context.Context, plan Plan, diagnostics []escape.Diagnostic,
) (*verdict.Verdict, error) {
	src := plan.Source()
	src.Test = true
	files := ownFiles(plan)
	if p.Loader == nil || !slices.ContainsFunc(slices.Collect(maps.Values(files)), hasBenchmark) {
		return nil, nil
	}
	src, base, err := p.WithHarness(src, harness.OverlayPackages)
	if err != nil {
		return nil, err
	}
	added, _ := harness.UserPackage{Name: "main", Files: files, Tests: slices.Sorted(maps.Keys(files))}.Overlay(base)
	maps.Copy(src.Files, added)
	if plan.Renamed {
		// The file is named as the client knows it, in the profile and in what the benchmarks print. The compiler adds
		// no folder to a name in a line directive.
		line := "//line " + plan.ModulePath() + "/" + File + ":1\n"
		src.Files[TestFile] = append([]byte(line), src.Files[TestFile]...)
		files[File] = files[TestFile]
		delete(files, TestFile)
	}
	built, err := p.Builder.Build(ctx, WithStackLimit(src))
	if err != nil {
		return nil, fmt.Errorf("build a program's benchmarks: %w", err)
	}
	defer built.Close()
	found := verdict.UserPackage{
		ImportPath: plan.ModulePath(), Dir: plan.ModulePath(), Engine: "wasm",
		Go: built.Go, GOOS: built.GOOS, GOARCH: built.GOARCH,
		Files: files, Built: built.OK, Diagnostics: diagnostics, Stop: built.Stop,
	}
	if !built.OK {
		found.Lines = []string{"the benchmarks could not be built with the code that measures them"}
		return found.Explain(), nil
	}
	program, err := p.Loader.Load(ctx, built.Binary)
	if err != nil {
		return nil, fmt.Errorf("run a program's benchmarks: %w", err)
	}
	defer program.Close()
	run, err := program.Run(ctx, "-test.run="+harness.OverlayTests)
	if err != nil {
		return nil, fmt.Errorf("run a program's benchmarks: %w", err)
	}
	report, err := wire.Parse(run.Report)
	if err != nil || len(run.Report) > maxExplained {
		run = &execution.TestRun{Output: []byte("the program wrote to the channel on which it is measured\n")}
		report = wire.Report{}
	}
	found.Runs = []verdict.Run{{TestRun: run, Measured: report}}
	return found.Explain(), nil
}

// ownFiles returns the Go files of the package in the program's root folder.
func ownFiles(plan Plan) map[string][]byte {
	files := maps.Clone(plan.Files)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return !inRoot(name) })
	return files
}
