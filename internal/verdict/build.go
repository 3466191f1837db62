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
	list := newBuildErrors(main, stop)
	for _, d := range diagnostics {
		file := path.Base(strings.ReplaceAll(d.File, `\`, "/"))
		switch {
		case d.Known():
		case file == harness.MainFile:
			list.add(Problem{File: main, Message: d.Message})
		default:
			list.add(Problem{File: file, Line: d.Line, Col: d.Col, Message: d.Message})
		}
	}
	for _, line := range rest {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && line != "FAIL" && !strings.HasPrefix(line, "FAIL\t") {
			list.addLine(line)
		}
	}
	return list.errors()
}

// A buildErrorList has the errors of a failed build, each once.
type buildErrorList struct {
	main string // the file of errors without a position, or ""
	all  []Problem
}

// newBuildErrors returns a list that begins with the limit that stopped the build, if one did.
func newBuildErrors(main string, stop execution.Stop) *buildErrorList {
	l := &buildErrorList{main: main}
	if stop.Kind != execution.NotStopped {
		l.add(Problem{File: main, Message: "the build " + stop.String(), Stopped: true})
	}
	return l
}

func (l *buildErrorList) add(p Problem) {
	if !slices.Contains(l.all, p) {
		l.all = append(l.all, p)
	}
}

// addLine adds a line without a position, unless it is blank.
func (l *buildErrorList) addLine(line string) {
	if line = strings.TrimSpace(line); line != "" {
		l.add(Problem{File: l.main, Message: line})
	}
}

// errors returns the list, which is never empty: the build did fail.
func (l *buildErrorList) errors() []Problem {
	if len(l.all) == 0 {
		l.add(Problem{File: l.main, Message: "the build failed without a message"})
	}
	return l.all
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
