package playground

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/escape"
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

// Explain returns the escape report on a program, and a verdict on its benchmarks if it has any.
func (p Playground) Explain(ctx context.Context, body string) (*Report, error) {
	report, err := p.Escape(ctx, body)
	if err != nil || report.Errors != "" {
		return report, err
	}
	plan, _ := p.Plan(body)
	report.Verdict, err = p.explain(ctx, plan, report.Escapes)
	return report, err
}

// Escape compiles the program and its tests, and returns the escape report. Nothing runs, so the program needs no main
// function.
func (p Playground) Escape(ctx context.Context, body string) (*Report, error) {
	report := &Report{Escapes: []escape.Diagnostic{}}
	plan, problem := p.Plan(body)
	if problem != "" {
		report.Errors = problem
		return report, nil
	}
	plan = plan.Compiled()
	built, err := p.Builder.Report(ctx, Source(plan))
	if err != nil {
		return nil, fmt.Errorf("build a program for its report: %w", err)
	}
	defer built.Close()
	diagnostics, _, err := escape.Parse(bytes.NewReader(built.Output))
	if err != nil {
		return nil, fmt.Errorf("read the compiler's report: %w", err)
	}
	report.Escapes = ofProgram(diagnostics, plan)
	escape.MarkStorage(report.Escapes, escape.StoredIn(plan.Files))
	if !built.OK {
		built.Output = withoutReport(built.Output)
		report.Errors = buildErrors(built, plan)
	}
	return report, nil
}

// ofProgram returns the diagnostics on the program's own files, which it names as the program does.
func ofProgram(diagnostics []escape.Diagnostic, plan Plan) []escape.Diagnostic {
	module := plan.ModulePath() + "/"
	kept := []escape.Diagnostic{}
	for _, d := range diagnostics {
		d.File = strings.TrimPrefix(d.File, module)
		if _, own := plan.Files[d.File]; !own || !d.Known() {
			continue
		}
		d.Flow = slices.Clone(d.Flow)
		for i := range d.Flow {
			d.Flow[i].File = strings.TrimPrefix(d.Flow[i].File, module)
			d.Flow[i].Text = strings.ReplaceAll(d.Flow[i].Text, module, "")
		}
		kept = append(kept, d)
	}
	slices.SortStableFunc(kept, func(a, b escape.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return kept
}

// withoutReport removes the lines of the escape report.
func withoutReport(output []byte) []byte {
	var kept bytes.Buffer
	for line := range bytes.Lines(output) {
		if d, _, _ := escape.Parse(bytes.NewReader(line)); len(d) == 0 || !d[0].Known() {
			kept.Write(line)
		}
	}
	return kept.Bytes()
}
