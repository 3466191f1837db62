package command

import (
	"fmt"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/tools/checkalloc/app"
)

// overview prints the reader's progress level by level, and the task of the next exercise.
func overview(a *app.App) error {
	w, err := a.Workspace()
	if err != nil {
		return err
	}
	progress, err := w.Progress()
	if err != nil {
		return err
	}
	table := newExerciseTable(a.Catalog)
	var next *exercise.Exercise
	level, passed := "", 0
	for _, e := range a.Catalog {
		if name := e.LevelName(); name != level {
			level = name
			fmt.Fprintf(a.Out, "%s\n", present.Bold.Render(level))
		}
		state := progress.Of(e.ID)
		mark, text := " ", ""
		switch {
		case state.Passed != nil:
			mark, text = "✓", "passed"
			passed++
		case len(state.Last) > 0:
			mark, text = "·", "at "+figure(e, state.Last[0])
		}
		if state.Passed == nil && next == nil {
			next = e
		}
		fmt.Fprintf(a.Out, "%s\n", strings.TrimRight(fmt.Sprintf("  %s %s%s", mark, table.row(e), text), " "))
	}
	fmt.Fprintf(a.Out, "\n%d of %d passed.", passed, len(a.Catalog))
	if next == nil {
		fmt.Fprintln(a.Out)
		return nil
	}
	fmt.Fprintf(a.Out, "  Next: edit exercises/%s/%s, then   %s %s\n\n", next.ID, next.Edit[0], a.Program, next.ID)
	return printTask(a, next)
}
