package command

import (
	"context"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// list prints the exercises of the workbook. It needs no workspace.
func (c *cli) list() *cobra.Command {
	return c.workbookCommand(&cobra.Command{
		Use:               "list",
		Short:             "list the exercises",
		Example:           "checkalloc list",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: c.run(func(_ context.Context, args []string) (int, error) {
			if len(args) > 0 {
				return 0, app.Usagef("list takes no argument")
			}
			return app.ExitPassed, printList(c.App)
		}),
	})
}

func printList(a *app.App) error {
	if !a.JSON {
		table := newExerciseTable(a.Catalog)
		for _, e := range a.Catalog {
			fmt.Fprintf(a.Out, "%s%s\n", table.row(e), e.Chapter)
		}
		return nil
	}
	summaries := []exercise.Summary{}
	for _, e := range a.Catalog {
		summaries = append(summaries, e.Summary())
	}
	return a.JSONEncoder().Encode(summaries)
}

// An exerciseTable has the widths of the columns of a table of exercises.
type exerciseTable struct{ id, title, targets int }

func newExerciseTable(catalog exercise.Catalog) (t exerciseTable) {
	for _, e := range catalog {
		t.id = max(t.id, lipgloss.Width(e.ID))
		t.title = max(t.title, lipgloss.Width(e.Title))
		t.targets = max(t.targets, lipgloss.Width(targets(e)))
	}
	return t
}

// row returns an exercise's name, title and targets, each padded to its column.
func (t exerciseTable) row(e *exercise.Exercise) string {
	pad := func(text string, width int) string { return text + strings.Repeat(" ", width-lipgloss.Width(text)+2) }
	return pad(e.ID, t.id) + pad(e.Title, t.title) + pad(targets(e), t.targets)
}

// targets returns what the first benchmark of an exercise measures at the start, and its target: "4 → 0 allocs/op".
func targets(e *exercise.Exercise) string {
	b := e.Benchmarks[0]
	target := exercise.Figure{AllocsPerOp: b.Allocs, LiveBytesPerOp: b.Live}
	if b.Bytes != nil {
		target.BytesPerOp = *b.Bytes
	}
	to := figure(e, target)
	if e.Figures == nil || len(e.Figures.Starter) == 0 {
		return "target " + to
	}
	from, _, _ := strings.Cut(figure(e, e.Figures.Starter[0]), " ")
	to, unit, _ := strings.Cut(to, " ")
	if unit == "alloc/op" {
		unit = "allocs/op" // it stands behind both numbers
	}
	return from + " → " + to + " " + unit
}

// figure returns a measurement in the unit that the exercise is about: allocs/op, or B/op or live B/op if its starter
// has already reached the targets before it.
func figure(e *exercise.Exercise, f exercise.Figure) string {
	b := e.Benchmarks[0]
	if e.Figures != nil && len(e.Figures.Starter) > 0 && e.Figures.Starter[0].AllocsPerOp <= b.Allocs {
		switch starter := e.Figures.Starter[0]; {
		case f.LiveBytesPerOp != nil && (b.Bytes == nil || starter.BytesPerOp <= *b.Bytes):
			return verdict.FormatBytes(*f.LiveBytesPerOp) + " live B/op"
		case b.Bytes != nil:
			return verdict.FormatBytes(f.BytesPerOp) + " B/op"
		}
	}
	return verdict.FormatAllocs(f.AllocsPerOp)
}
