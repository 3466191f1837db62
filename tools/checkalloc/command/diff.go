package command

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// diff compares the reader's files with the solution.
func (c *cli) diff() *cobra.Command {
	var spoil bool
	cmd := &cobra.Command{
		Use:               "diff EXERCISE",
		Short:             "compare your code with the solution, once it has passed",
		Example:           "checkalloc diff exercise1",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: c.completeExercise,
		RunE: c.forExercise("diff", func(e *exercise.Exercise) error {
			return printDiff(c.App, c.Out, e, spoil)
		}),
	}
	spoilFlag(cmd.Flags(), &spoil)
	return c.workbookCommand(cmd)
}

// printDiff prints to out, with color, the differences between the reader's files and the solution.
func printDiff(a *app.App, out io.Writer, e *exercise.Exercise, spoil bool) error {
	w, err := openSolution(a, e, spoil)
	if err != nil {
		return err
	}
	files, err := w.Files(e.ID)
	if err != nil {
		return err
	}
	same := true
	for _, name := range e.Edit {
		text := diff.Diff("yours/"+name, files[name], "solution/"+name, e.Solution[name])
		if text == nil {
			continue
		}
		same = false
		for line := range strings.Lines(printable.Clean(string(text))) {
			style := lipgloss.NewStyle()
			switch {
			case strings.HasPrefix(line, "+"):
				style = present.Good
			case strings.HasPrefix(line, "-"):
				style = present.Bad
			}
			text, hasNewline := strings.CutSuffix(line, "\n")
			fmt.Fprint(out, style.Render(strings.ReplaceAll(text, "\t", "    ")))
			if hasNewline {
				fmt.Fprintln(out)
			}
		}
	}
	if same {
		fmt.Fprintln(out, "Your code is identical to the solution.")
	}
	return nil
}
