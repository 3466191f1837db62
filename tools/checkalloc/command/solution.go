package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/workspace"
)

// solution prints the files of an exercise's solution.
func (c *cli) solution() *cobra.Command {
	var spoil bool
	cmd := &cobra.Command{
		Use:               "solution EXERCISE",
		Short:             "print the solution, once yours has passed",
		Example:           "checkalloc solution exercise1 --spoil",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: c.completeExercise,
		RunE: c.forExercise("solution", func(e *exercise.Exercise) error {
			return printSolution(c.App, e, spoil)
		}),
	}
	spoilFlag(cmd.Flags(), &spoil)
	return c.workbookCommand(cmd)
}

func spoilFlag(f *pflag.FlagSet, spoil *bool) {
	f.BoolVar(spoil, "spoil", false, "show the solution even if yours has not passed")
}

func printSolution(a *app.App, e *exercise.Exercise, spoil bool) error {
	if _, err := openSolution(a, e, spoil); err != nil {
		return err
	}
	for _, name := range e.Edit {
		if len(e.Edit) > 1 {
			fmt.Fprintf(a.Out, "-- %s --\n", name)
		}
		if _, err := a.Raw.Write(e.Solution[name]); err != nil {
			return err
		}
	}
	return nil
}

// openSolution returns the workspace if the reader may see the solution: the exercise has passed, or they asked for a
// spoiler.
func openSolution(a *app.App, e *exercise.Exercise, spoil bool) (*workspace.Workspace, error) {
	w, err := a.Workspace()
	if err != nil {
		return nil, err
	}
	progress, err := w.Progress()
	if err != nil {
		return nil, err
	}
	if progress.Of(e.ID).Passed == nil && !spoil {
		return nil, app.Usagef(
			"%s has not passed yet: \"%s hint %s\" prints a hint, --spoil shows the solution anyway",
			e.ID,
			a.Name,
			e.ID,
		)
	}
	return w, nil
}
