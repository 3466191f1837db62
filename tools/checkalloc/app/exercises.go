package app

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/exercise"
	"onthestack/internal/present/terminal"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
)

// A Table has the widths of the columns of a table of exercises.
type Table struct{ id, title, targets int }

// NewTable returns the widths for these exercises.
func NewTable(catalog exercise.Catalog) (t Table) {
	for _, e := range catalog {
		t.id = max(t.id, lipgloss.Width(e.ID))
		t.title = max(t.title, lipgloss.Width(e.Title))
		t.targets = max(t.targets, lipgloss.Width(Targets(e)))
	}
	return t
}

// Row returns an exercise's name with its title, and its targets, each padded to its column.
func (t Table) Row(e *exercise.Exercise) (name, targets string) {
	pad := func(text string, width int) string { return lipgloss.PlaceHorizontal(width+2, lipgloss.Left, text) }
	return pad(e.ID, t.id) + pad(e.Title, t.title), pad(Targets(e), t.targets)
}

// Targets returns what the first benchmark of an exercise measures at the start, and its target: "4 → 0 allocs/op".
func Targets(e *exercise.Exercise) string {
	b := e.Benchmarks[0]
	target := exercise.Figure{AllocsPerOp: b.Allocs, LiveBytesPerOp: b.Live}
	if b.Bytes != nil {
		target.BytesPerOp = *b.Bytes
	}
	to := Figure(e, target)
	if e.Figures == nil || len(e.Figures.Starter) == 0 {
		return "target " + to
	}
	from, _, _ := strings.Cut(Figure(e, e.Figures.Starter[0]), " ")
	to, unit, _ := strings.Cut(to, " ")
	if unit == "alloc/op" {
		unit = "allocs/op" // it stands behind both numbers
	}
	return from + " → " + to + " " + unit
}

// Figure returns a measurement in the unit that the exercise is about: allocs/op, or B/op or live B/op if its starter
// has already reached the targets before it.
func Figure(e *exercise.Exercise, f exercise.Figure) string {
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

// PrintVerdict prints a verdict for a person; before is the progress in the exercise before the check.
func (a *App) PrintVerdict(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte, before workspace.State) {
	options := terminal.ExerciseOptions(e, files, a.Program, a.Width)
	options.Fold = !a.Verbose
	terminal.Verdict(a.Out, v, options)
	if v.Pass {
		a.printPassed(e, v)
		return
	}
	if text := improvement(v, before); text != "" {
		a.Say(2, text)
	}
	terminal.Next(a.Out, v, options)
}

// printPassed prints what a solution saves, and what to compare it with.
func (a *App) printPassed(e *exercise.Exercise, v *verdict.Verdict) {
	text := "Passed."
	for _, b := range v.Benchmarks {
		if was, ok := e.StarterFigure(b.Name); ok {
			text += fmt.Sprintf(" %s: %s since the starter.", b.Name, terminal.Savings(was, b))
		}
	}
	a.Say(2, text)
	a.Say(2, "Chapter: book/"+e.Chapter+"   Compare with the solution: "+a.Command("diff", e.ID))
}

// PrintNext prints where to go on after a pass of e: the exercise that the overview and the pages name. progress may be
// from before the pass; nil is for none.
func (a *App) PrintNext(e *exercise.Exercise, progress *workspace.Progress) {
	if next := progress.After(e, a.Catalog); next != nil {
		a.Say(2, "Next: "+next.ID+", "+next.Title+"   "+a.Command(next.ID))
	} else {
		a.Say(2, "That was the last one: all exercises have passed.")
	}
}

// improvement compares what the solution allocates with the last check that measured it. It returns "" if it does not
// allocate less.
func improvement(v *verdict.Verdict, before workspace.State) string {
	for _, b := range v.Benchmarks {
		i := slices.IndexFunc(before.Last, func(f exercise.Figure) bool { return f.Name == b.Name })
		if i >= 0 && b.AllocsPerOp < before.Last[i].AllocsPerOp {
			return fmt.Sprintf("Closer: %s at the last check, %s now.",
				verdict.FormatAllocs(before.Last[i].AllocsPerOp), verdict.FormatCount(b.AllocsPerOp))
		}
	}
	return ""
}

// Amounts writes what an operation allocates: "1 alloc/op, 64 B/op, 0 live B/op". A nil amount is left out.
func Amounts(allocs float64, bytes, live *float64) string {
	text := verdict.FormatAllocs(allocs)
	if bytes != nil {
		text += ", " + verdict.FormatBytes(*bytes) + " B/op"
	}
	if live != nil {
		text += ", " + verdict.FormatBytes(*live) + " live B/op"
	}
	return text
}
