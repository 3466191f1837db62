package advice

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// The compiler's messages about imports.
var (
	unusedImport  = regexp.MustCompile(`^"([^"]+)" imported (?:as \w+ )?and not used$`)
	undefinedName = regexp.MustCompile(`^undefined: (\w+)$`)
)

// build returns what to do about the first problem for which the build failed.
func build(e *exercise.Exercise, p verdict.Problem) verdict.Advice {
	a := verdict.Advice{Kind: verdict.AdviseBuild, File: p.File, Line: p.Line}
	switch {
	case strings.HasSuffix(p.File, "_test.go"):
		a.Kind = verdict.AdviseSignature
		a.Text = "keep the names and parameters that the starter has: the tests call them."
	case p.Stopped:
		a.Kind = verdict.AdviseLimit
		a.Text = "give the compiler less to do: the build reached the limit named above."
	case p.Line == 0:
		a.Text = "correct the errors that the compiler reports."
	default:
		if text := imports(e, p); text != "" {
			a.Kind, a.Text = verdict.AdviseImports, text
		} else {
			a.Text = fmt.Sprintf("correct line %d of %s.", p.Line, p.File)
		}
	}
	return a
}

// imports returns what to do about an import that is not used or is missing, "" for another problem.
func imports(e *exercise.Exercise, p verdict.Problem) string {
	if m := unusedImport.FindStringSubmatch(p.Message); m != nil {
		return fmt.Sprintf("remove the import of `%s` on line %d: the code does not use it any more.", m[1], p.Line)
	}
	m := undefinedName.FindStringSubmatch(p.Message)
	if m == nil {
		return ""
	}
	for _, known := range slices.Concat(e.Imports, exercise.Harmless) {
		if path.Base(known) == m[1] {
			return fmt.Sprintf("import `%s`, which line %d uses.", known, p.Line)
		}
	}
	return ""
}
