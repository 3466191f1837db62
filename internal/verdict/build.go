package verdict

import (
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// buildErrors returns the errors that a failed build printed: the diagnostics that are not part of the escape report,
// and the lines without a position. Files are named by their base name, since all are in one folder. An error without a
// position, or in the checker's own file, is reported for the file main.
func buildErrors(main string, diagnostics []escape.Diagnostic, rest []string, stop execution.Stop) []Problem {
	problems := []Problem{}
	add := func(p Problem) {
		if !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	if stop.Kind != execution.NotStopped {
		add(Problem{File: main, Message: "the build " + stop.String(), Stopped: true})
	}
	for _, d := range diagnostics {
		file := path.Base(strings.ReplaceAll(d.File, `\`, "/"))
		switch {
		case d.Known():
		case file == harness.MainFile:
			add(Problem{File: main, Message: d.Message})
		default:
			add(Problem{File: file, Line: d.Line, Col: d.Col, Message: d.Message})
		}
	}
	for _, line := range rest {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && line != "FAIL" &&
			!strings.HasPrefix(line, "FAIL\t") {
			add(Problem{File: main, Message: line})
		}
	}
	if len(problems) == 0 {
		add(Problem{File: main, Message: "the build failed without a message"})
	}
	return problems
}

// ofPackage returns the diagnostics about the package itself, with files named by their base name. It leaves out the
// package's tests, and generic functions of other packages, which the compiler instantiates in the package that uses
// them.
func ofPackage(diagnostics []escape.Diagnostic, importPath string) []escape.Diagnostic {
	local := func(file string) string { return strings.TrimPrefix(file, importPath+"/") }
	kept := []escape.Diagnostic{}
	for _, d := range diagnostics {
		// "path" or, built for a test, "path [path.test]".
		if pkg, _, _ := strings.Cut(d.Package, " "); pkg != importPath || strings.HasSuffix(d.File, "_test.go") {
			continue
		}
		if d.File = local(d.File); strings.Contains(d.File, "/") {
			continue
		}
		d.Flow = slices.Clone(d.Flow)
		for i := range d.Flow {
			d.Flow[i].File = local(d.Flow[i].File)
			d.Flow[i].Text = strings.ReplaceAll(d.Flow[i].Text, importPath+"/", "")
		}
		kept = append(kept, d)
	}
	slices.SortStableFunc(kept, func(a, b escape.Diagnostic) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return kept
}
