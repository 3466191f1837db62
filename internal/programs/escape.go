package programs

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/escape"
)

// Escape compiles the program and its tests, and returns the compiler's diagnostics on the program's own files, in
// source order and never nil. If the program does not build, problem has the errors, for the sender. Nothing runs, so
// the program needs no main function.
func (c Compiler) Escape(
	ctx context.Context, body string,
) (diagnostics []escape.Diagnostic, problem string, err error) {
	plan, problem := c.Plan(body)
	if problem != "" {
		return []escape.Diagnostic{}, problem, nil
	}
	plan = plan.Compiled()
	built, err := c.Builder.Report(ctx, plan.Source())
	if err != nil {
		return nil, "", fmt.Errorf("build a program for its report: %w", err)
	}
	defer built.Close()
	all, _ := escape.Parse(built.Output)
	diagnostics = ofProgram(all, plan)
	escape.MarkStorage(diagnostics, escape.StoredIn(escape.ParseSource(plan.Files)))
	if !built.OK {
		built.Output = withoutReport(built.Output)
		problem = plan.BuildErrors(built)
	}
	return diagnostics, problem, nil
}

// ofProgram returns the diagnostics on the program's own files, which it names as the program does.
func ofProgram(diagnostics []escape.Diagnostic, plan Plan) []escape.Diagnostic {
	module := plan.ModulePath() + "/"
	found := []escape.Diagnostic{}
	for _, d := range diagnostics {
		d.File = strings.TrimPrefix(d.File, module)
		if _, inProgram := plan.Files[d.File]; !inProgram || !d.Known() {
			continue
		}
		d.Flow = slices.Clone(d.Flow)
		for i := range d.Flow {
			d.Flow[i].File = strings.TrimPrefix(d.Flow[i].File, module)
			d.Flow[i].Text = strings.ReplaceAll(d.Flow[i].Text, module, "")
		}
		found = append(found, d)
	}
	slices.SortStableFunc(found, escape.Compare)
	return found
}

// withoutReport removes the lines of the escape report.
func withoutReport(output []byte) []byte {
	var rest bytes.Buffer
	for line := range bytes.Lines(output) {
		if d, _ := escape.Parse(line); len(d) == 0 || !d[0].Known() {
			rest.Write(line)
		}
	}
	return rest.Bytes()
}
