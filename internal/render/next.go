package render

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/verdict"
)

// Next writes the one step that a failed check asks for.
func Next(w io.Writer, v *verdict.Verdict, o Options) {
	fmt.Fprint(w, indent(2, "Next: "+printable(next(v)), o.Width))
	fmt.Fprintf(w, "  Hint: checkalloc hint %s\n", v.Exercise)
}

func next(v *verdict.Verdict) string {
	switch v.Stage {
	case verdict.StagePolicy:
		if p := v.Errors[0]; p.Line == 0 { // the file is missing, or cannot be read
			return "see to " + p.File + " first, as said above."
		}
		return "remove what the policy names; a solution needs none of it."
	case verdict.StageBuild:
		p := v.Errors[0]
		if strings.HasSuffix(p.File, "_test.go") {
			return "keep the names and parameters that the starter has: the tests call them."
		}
		if p.Line > 0 {
			return fmt.Sprintf("correct line %d of %s.", p.Line, p.File)
		}
		return "correct what the compiler names."
	case verdict.StageTests:
		return fmt.Sprintf("make the tests pass again: go test ./exercises/%s", v.Exercise)
	}
	if v.Tests.Output != "" {
		return fmt.Sprintf("make the benchmark run through: go test -run '^$' -bench . -benchtime 1000x ./exercises/%s", v.Exercise)
	}
	for _, a := range v.Allocations {
		for _, r := range a.Reasons {
			if n := len(r.Flow); n > 0 {
				return fmt.Sprintf("line %d is where it begins: %s.", r.Flow[n-1].Line, r.Flow[n-1].Message)
			}
		}
		return fmt.Sprintf("line %d: %s.", a.Line, a.Why)
	}
	return "bring the figure down to its target."
}
