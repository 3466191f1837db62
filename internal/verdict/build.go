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
	var found []Problem
	for _, d := range diagnostics {
		file := path.Base(strings.ReplaceAll(d.File, `\`, "/"))
		switch {
		case d.Known():
		case file == harness.MainFile:
			found = append(found, Problem{File: main, Message: d.Message})
		default:
			found = append(found, Problem{File: file, Line: d.Line, Col: d.Col, Message: d.Message})
		}
	}
	lines := slices.DeleteFunc(slices.Clone(rest), func(line string) bool {
		line = strings.TrimSpace(line)
		return strings.HasPrefix(line, "#") || line == "FAIL" || strings.HasPrefix(line, "FAIL\t")
	})
	return failures(main, stop, found, lines)
}

// failures returns the problems of a failed build, each once: the limit that stopped it, if one did, then the problems
// that were found, then the lines without a position, which are reported for the file main. There is at least one.
func failures(main string, stop execution.Stop, found []Problem, lines []string) (all []Problem) {
	if stop.Kind != execution.NotStopped {
		all = append(all, Problem{File: main, Message: "the build " + stop.String(), Stopped: true})
	}
	all = append(all, found...)
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, Problem{File: main, Message: line})
		}
	}
	if len(all) == 0 {
		return []Problem{{File: main, Message: "the build failed without a message"}}
	}
	seen := map[Problem]bool{}
	return slices.DeleteFunc(all, func(p Problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// OfPackage returns the diagnostics about the package itself, with files named by their base name. It leaves out the
// package's tests, and generic functions of other packages, which the compiler instantiates in the package that uses
// them.
func OfPackage(diagnostics []escape.Diagnostic, importPath string) []escape.Diagnostic {
	local := func(file string) string { return strings.TrimPrefix(file, importPath+"/") }
	found := []escape.Diagnostic{}
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
		found = append(found, d)
	}
	slices.SortStableFunc(found, escape.Compare)
	return found
}
