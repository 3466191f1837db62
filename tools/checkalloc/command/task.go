package command

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// task prints what an exercise asks for.
func (c *cli) task() *cobra.Command {
	return c.workbookCommand(&cobra.Command{
		Use:               "task EXERCISE",
		Short:             "print the task of an exercise",
		Example:           "checkalloc task exercise1",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: c.completeExercise,
		RunE:              c.forExercise("task", func(e *exercise.Exercise) error { return printTask(c.App, e) }),
	})
}

// printTask prints an exercise's task and targets.
func printTask(a *app.App, e *exercise.Exercise) error {
	fmt.Fprintf(a.Out, "%s  %s\n\n%s\n\n", present.Bold.Render(e.ID), e.Title, wrapTask(e.Task,
		a.Width))
	for _, b := range e.Benchmarks {
		name := ""
		if len(e.Benchmarks) > 1 {
			name = " of " + b.Name
		}
		target := verdict.FormatAllocs(b.Allocs)
		if b.Bytes != nil {
			target += ", " + verdict.FormatBytes(*b.Bytes) + " B/op"
		}
		if b.Live != nil {
			target += ", " + verdict.FormatBytes(*b.Live) + " live B/op"
		}
		fmt.Fprintf(a.Out, "Target%s: %s.", name, target)
		if f, ok := e.StarterFigure(b.Name); ok {
			fmt.Fprintf(
				a.Out,
				" The starter makes %s, %s B/op.",
				verdict.FormatAllocs(f.AllocsPerOp),
				verdict.FormatBytes(f.BytesPerOp),
			)
			if f.LiveBytesPerOp != nil {
				fmt.Fprintf(a.Out, " It leaves %s live B/op: bytes that the garbage collector cannot free.",
					verdict.FormatBytes(*f.LiveBytesPerOp))
			}
		}
		fmt.Fprintln(a.Out)
	}
	return nil
}

// wrapTask wraps a task's paragraphs for a terminal with the given number of columns. Fenced blocks are indented and
// not wrapped.
func wrapTask(task string, width int) string {
	var parts []string
	for i, part := range strings.Split("\n"+strings.TrimSpace(task)+"\n", "\n```") {
		if i%2 == 0 {
			if text := strings.TrimSpace(part); text != "" {
				parts = append(parts, lipgloss.Wrap(text, width, " "))
			}
			continue
		}
		_, block, _ := strings.Cut(part, "\n") // the first line names the language
		parts = append(parts, "    "+strings.ReplaceAll(block, "\n", "\n    "))
	}
	return strings.Join(parts, "\n\n")
}
