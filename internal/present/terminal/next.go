package terminal

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Next writes what to do after a failed check, and the command for a hint.
func Next(w io.Writer, v *verdict.Verdict, o Options) {
	Step(w, v, o)
	fmt.Fprint(w, indent(2, "Hint: "+present.Command(o.Command+" hint "+v.Exercise), o.Width))
}

// Step writes what to do after a failed check.
func Step(w io.Writer, v *verdict.Verdict, o Options) {
	for _, a := range v.Advice {
		label := "Next: "
		if a.Kind == verdict.AdviseMistake {
			label = "Likely mistake: "
		}
		fmt.Fprint(w, indent(2, label+present.Prose(printable.Clean(sentence(a))), o.Width))
	}
}

// sentence returns advice with its command: "make the tests pass again: go test ./exercises/exercise6".
func sentence(a verdict.Advice) string {
	if a.Command == "" {
		return a.Text
	}
	return strings.TrimSuffix(a.Text, ".") + ": " + present.Command(a.Command)
}
