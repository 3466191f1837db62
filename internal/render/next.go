package render

import (
	"fmt"
	"io"

	"onthestack/internal/verdict"
)

// Next writes the one step that a failed check asks for.
func Next(w io.Writer, v *verdict.Verdict, o Options) {
	const lead = "Next: "
	fmt.Fprint(w, indent(2, lead+next(v), o.Width))
}

func next(v *verdict.Verdict) string {
	hint := "   checkalloc hint " + v.Exercise
	switch v.Stage {
	case verdict.StagePolicy:
		return "remove what the policy names; a solution needs none of it." + hint
	case verdict.StageBuild:
		if p := v.Errors[0]; p.Line > 0 {
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
				return fmt.Sprintf("line %d is where it begins: %s.", r.Flow[n-1].Line, r.Flow[n-1].Message) + hint
			}
		}
		return fmt.Sprintf("line %d: %s.", a.Line, a.Why) + hint
	}
	return "bring the figure down to its target." + hint
}
