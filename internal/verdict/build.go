package verdict

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/harness"
)

// buildErrorLine is a line of the compiler's or vet's: "path/stream.go:12:2: message", the column optional.
var buildErrorLine = regexp.MustCompile(`^(.*?\.go):(\d+)(?::(\d+))?: (.*)$`)

// buildErrors makes problems of the lines that a failed build printed beside the escape report. Files are named by their base
// name: everything is in one folder. What has no place in a file is about the one named main.
func buildErrors(main string, lines []string, stopped string) []Problem {
	problems := []Problem{}
	if stopped != "" {
		problems = append(problems, Problem{File: main, Message: "the build " + stopped})
	}
	for _, line := range lines {
		line = strings.TrimRight(line, " \r\n")
		switch m := buildErrorLine.FindStringSubmatch(line); {
		case m != nil:
			p := Problem{File: path.Base(strings.ReplaceAll(m[1], `\`, "/")), Message: m[4]}
			p.Line, _ = strconv.Atoi(m[2])
			p.Col, _ = strconv.Atoi(m[3])
			if p.File == harness.MainFile {
				p = Problem{File: main, Message: m[4]}
			}
			problems = append(problems, p)
		case strings.HasPrefix(line, "#"), line == "", strings.HasPrefix(line, "FAIL\t"):
		case strings.HasPrefix(line, "\t") && len(problems) > 0:
			// A continuation: "have (…)", "want (…)", "other declaration of …".
			problems[len(problems)-1].Message += "\n" + strings.TrimSpace(line)
		default:
			problems = append(problems, Problem{File: main, Message: line})
		}
	}
	if len(problems) == 0 {
		problems = append(problems, Problem{File: main, Message: "the build failed without saying why"})
	}
	return problems
}

// ofPackage keeps what the compiler said about the package itself, its tests left out, and names its files by base name.
func ofPackage(diagnostics []escape.Diagnostic, importPath string) []escape.Diagnostic {
	local := func(file string) string { return strings.TrimPrefix(file, importPath+"/") }
	kept := []escape.Diagnostic{}
	for _, d := range diagnostics {
		// "path" or, built for a test, "path [path.test]".
		if pkg, _, _ := strings.Cut(d.Package, " "); pkg != importPath || strings.HasSuffix(d.File, "_test.go") {
			continue
		}
		d.File = local(d.File)
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
