package command

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/tools/checkalloc/app"
)

// hint prints the hints so far and one more.
func (c *cli) hint() *cobra.Command {
	return c.workbookCommand(&cobra.Command{
		Use:               "hint EXERCISE",
		Short:             "print a hint, and one more each time",
		Example:           "checkalloc hint exercise1",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: c.completeExercise,
		RunE:              c.forExercise("hint", func(e *exercise.Exercise) error { return printHints(c.App, e) }),
	})
}

func printHints(a *app.App, e *exercise.Exercise) error {
	w, err := a.Workspace()
	if err != nil {
		return err
	}
	state, err := w.State(e)
	if err != nil {
		return err
	}
	shown, err := w.Hint(e)
	if err != nil {
		shown = state.NextHint(e) // show the hint even if the progress cannot be saved
	}
	for i, h := range e.Hints[:shown] {
		title := fmt.Sprintf("Hint %d of %d", i+1, len(e.Hints))
		text := lipgloss.Wrap(strings.TrimSpace(h.Text), a.Width, " ")
		fmt.Fprintf(a.Out, "%s\n%s\n\n", present.Bold.Render(title), text)
	}
	fmt.Fprintf(a.Out, "The compiler's report, which some hints mention: go build -gcflags=-m=2 ./exercises/%s\n", e.ID)
	if shown == len(e.Hints) {
		fmt.Fprintf(a.Out, "That was the last hint. The solution: %s solution %s --spoil\n", a.Program, e.ID)
	}
	return err
}
