package command

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/app"
)

// reset puts the starter of an exercise back, after a question.
func (c *cli) reset() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "reset EXERCISE",
		Short:   "restore the starter, after asking, and keep a backup",
		Example: "checkalloc reset exercise1",
		Annotations: map[string]string{exitCodes: "0 reset · 1 left as it is · 2 wrong usage · 3 could not " +
			"reset"},
		ValidArgsFunction: c.completeExercise,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		done := true
		err := c.forExercise("reset", func(e *exercise.Exercise) (err error) {
			done, err = resetExercise(c.App, e, yes)
			return err
		})(cmd, args)
		if err == nil && !done {
			c.code = app.ExitNotYet
		}
		return err
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "reset without asking")
	return c.workbookCommand(cmd)
}

// resetExercise puts the starter back, unless the reader answers the question with no, and reports whether it did.
func resetExercise(a *app.App, e *exercise.Exercise, yes bool) (done bool, err error) {
	w, err := a.Workspace()
	if err != nil {
		return false, err
	}
	question := fmt.Sprintf("Reset %s to its starter? Your version is kept in a backup.", e.ID)
	if !yes && !confirmed(a, "reset", question) {
		return false, nil
	}
	backup, err := w.Reset(e, time.Now())
	if err != nil {
		return false, err
	}
	if backup == "" {
		fmt.Fprintf(a.Out, "%s is the starter again.\n", e.ID)
	} else {
		fmt.Fprintf(a.Out, "%s is the starter again; your version is in %s\n", e.ID, backup)
	}
	return true, nil
}
