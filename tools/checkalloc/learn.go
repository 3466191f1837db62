package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/rogpeppe/go-internal/diff"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
)

// overview shows how far the reader is, by chapter, and the next exercise.
func (c *command) overview() error {
	w, err := c.workspace()
	if err != nil {
		return err
	}
	progress, err := w.Progress()
	if err != nil {
		return err
	}
	columns := columnsOf(c.catalog)
	var next *exercise.Exercise
	chapter, passed := "", 0
	for _, e := range c.catalog {
		if e.Chapter != chapter {
			chapter = e.Chapter
			fmt.Fprintf(c.out, "%s\n", lipgloss.NewStyle().Bold(true).Render(chapter))
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
		fmt.Fprintf(c.out, "%s\n", strings.TrimRight(fmt.Sprintf("  %s %s%s", mark, columns.row(e), text), " "))
	}
	fmt.Fprintf(c.out, "\n%d of %d passed.", passed, len(c.catalog))
	if next == nil {
		fmt.Fprintln(c.out)
		return nil
	}
	fmt.Fprintf(c.out, "  Next: edit exercises/%s/%s, then   %s %s\n\n", next.ID, next.Edit[0], c.self, next.ID)
	return c.task(next)
}

// task prints an exercise's task and targets.
func (c *command) task(e *exercise.Exercise) error {
	fmt.Fprintf(c.out, "%s  %s\n\n%s\n\n", lipgloss.NewStyle().Bold(true).Render(e.ID), e.Title, wrapTask(e.Task, c.width))
	for _, b := range e.Benchmarks {
		name := ""
		if len(e.Benchmarks) > 1 {
			name = " of " + b.Name
		}
		goal := verdict.FormatAllocs(b.Allocs)
		if b.Bytes != nil {
			goal += ", " + verdict.FormatBytes(*b.Bytes) + " B/op"
		}
		fmt.Fprintf(c.out, "Target%s: %s.", name, goal)
		if f, ok := e.StarterFigure(b.Name); ok {
			fmt.Fprintf(c.out, " The starter makes %s, %s B/op.", verdict.FormatAllocs(f.AllocsPerOp), verdict.FormatBytes(f.BytesPerOp))
		}
		fmt.Fprintln(c.out)
	}
	return nil
}

// columns are the widths of a table of a catalog's exercises.
type columns struct{ id, title, targets int }

func columnsOf(catalog exercise.Catalog) (c columns) {
	for _, e := range catalog {
		c.id = max(c.id, lipgloss.Width(e.ID))
		c.title = max(c.title, lipgloss.Width(e.Title))
		c.targets = max(c.targets, lipgloss.Width(targets(e)))
	}
	return c
}

// row returns an exercise's name, title and targets, each padded to its column.
func (c columns) row(e *exercise.Exercise) string {
	fill := func(text string, width int) string { return text + strings.Repeat(" ", width-lipgloss.Width(text)+2) }
	return fill(e.ID, c.id) + fill(e.Title, c.title) + fill(targets(e), c.targets)
}

// wrapTask wraps a task's paragraphs for a terminal with the given number of columns. Fenced blocks are indented and not wrapped.
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

// targets says where an exercise starts and where it is to get.
func targets(e *exercise.Exercise) string {
	b := e.Benchmarks[0]
	to := figure(e, exercise.Figure{AllocsPerOp: b.Allocs, BytesPerOp: targetBytes(b)})
	if e.Figures == nil || len(e.Figures.Starter) == 0 {
		return "target " + to
	}
	from, _, _ := strings.Cut(figure(e, e.Figures.Starter[0]), " ")
	to, unit, _ := strings.Cut(to, " ")
	if unit == "alloc/op" {
		unit = "allocs/op" // of both numbers
	}
	return from + " → " + to + " " + unit
}

func targetBytes(b exercise.Benchmark) float64 {
	if b.Bytes == nil {
		return 0
	}
	return *b.Bytes
}

// figure writes what an exercise is about: allocs/op, or B/op where its starter reaches the allocs/op that are asked for.
func figure(e *exercise.Exercise, f exercise.Figure) string {
	if b := e.Benchmarks[0]; b.Bytes != nil && e.Figures != nil && len(e.Figures.Starter) > 0 && e.Figures.Starter[0].AllocsPerOp <= b.Allocs {
		return verdict.FormatBytes(f.BytesPerOp) + " B/op"
	}
	return verdict.FormatAllocs(f.AllocsPerOp)
}

func (c *command) list() error {
	if !c.json {
		columns := columnsOf(c.catalog)
		for _, e := range c.catalog {
			fmt.Fprintf(c.out, "%s%s\n", columns.row(e), e.Chapter)
		}
		return nil
	}
	all := []exercise.Summary{}
	for _, e := range c.catalog {
		all = append(all, e.Summary())
	}
	return c.encoder().Encode(all)
}

// hint shows the hints so far and one more.
func (c *command) hint(e *exercise.Exercise) error {
	w, err := c.workspace()
	if err != nil {
		return err
	}
	progress, err := w.Progress()
	if err != nil {
		return err
	}
	// Show the hint even if the progress cannot be saved.
	shown := oneMore(e, progress.Of(e.ID))
	err = w.ChangeProgress(func(p *workspace.Progress) { shown = oneMore(e, p.Of(e.ID)) })
	for i, h := range e.Hints[:shown] {
		fmt.Fprintf(c.out, "%s\n%s\n\n", lipgloss.NewStyle().Bold(true).Render(fmt.Sprintf("Hint %d of %d", i+1, len(e.Hints))),
			lipgloss.Wrap(strings.TrimSpace(h.Text), c.width, " "))
	}
	fmt.Fprintf(c.out, "The compiler's report, where a hint speaks of it: go build -gcflags=-m=2 ./exercises/%s\n", e.ID)
	if shown == len(e.Hints) {
		fmt.Fprintf(c.out, "That was the last hint. The solution: %s solution %s --spoil\n", c.self, e.ID)
	}
	return err
}

// oneMore counts one more hint of e as shown, unless all are, and returns the count. The number in the state may be out of range,
// because anybody can edit the progress file.
func oneMore(e *exercise.Exercise, s *workspace.State) int {
	s.Hints = min(max(s.Hints, 0)+1, len(e.Hints))
	return s.Hints
}

// mayPeek says why the solution is not shown yet; nil where it is.
func (c *command) mayPeek(e *exercise.Exercise) (*workspace.Workspace, error) {
	w, err := c.workspace()
	if err != nil {
		return nil, err
	}
	progress, err := w.Progress()
	if err != nil {
		return nil, err
	}
	if progress.Of(e.ID).Passed == nil && !c.spoil {
		return nil, usageError("%s has not passed yet: \"checkalloc hint %s\" helps on, --spoil shows the solution all the same", e.ID, e.ID)
	}
	return w, nil
}

func (c *command) solution(e *exercise.Exercise) error {
	if _, err := c.mayPeek(e); err != nil {
		return err
	}
	for _, name := range e.Edit {
		if len(e.Edit) > 1 {
			fmt.Fprintf(c.out, "-- %s --\n", name)
		}
		if _, err := c.plain.Write(e.Solution[name]); err != nil {
			return err
		}
	}
	return nil
}

// diff shows what separates the reader's files from the solution.
func (c *command) diff(e *exercise.Exercise) error {
	w, err := c.mayPeek(e)
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
		for _, line := range strings.SplitAfter(printable.Clean(string(text)), "\n") {
			style := lipgloss.NewStyle()
			switch {
			case strings.HasPrefix(line, "+"):
				style = style.Foreground(lipgloss.Green)
			case strings.HasPrefix(line, "-"):
				style = style.Foreground(lipgloss.Red)
			}
			text, end := strings.CutSuffix(line, "\n")
			fmt.Fprint(c.out, style.Render(strings.ReplaceAll(text, "\t", "    ")))
			if end {
				fmt.Fprintln(c.out)
			}
		}
	}
	if same {
		fmt.Fprintln(c.out, "Yours is the solution, to the letter.")
	}
	return nil
}

// reset starts an exercise again, after asking; it reports whether it did.
func (c *command) reset(e *exercise.Exercise) (bool, error) {
	w, err := c.workspace()
	if err != nil {
		return false, err
	}
	if !c.yes {
		fmt.Fprintf(c.err, "Put the starter of %s back? What you changed moves to a backup. [y/N] ", e.ID)
		answer, _ := bufio.NewReader(c.in).ReadString('\n')
		if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
			fmt.Fprintln(c.err, "Nothing was changed. --yes answers the question.")
			return false, nil
		}
	}
	backup, err := w.Reset(e, time.Now())
	if err != nil {
		return false, err
	}
	if backup == "" {
		fmt.Fprintf(c.out, "%s is as it was at the start.\n", e.ID)
	} else {
		fmt.Fprintf(c.out, "%s is as it was at the start; what you had is in %s\n", e.ID, backup)
	}
	return true, nil
}

func (c *command) init(dir string) error {
	w, err := workspace.Init(dir, c.catalog)
	if err != nil {
		return errors.Join(usageError("cannot make a workspace of %s", dir), err)
	}
	fmt.Fprintf(c.out, "A workspace with %d exercises is in %s.\n", len(c.catalog), w.Root)
	if c.self != "checkalloc" {
		fmt.Fprintln(c.out, "\"go install ./tools/checkalloc\" puts checkalloc on your PATH ($(go env GOPATH)/bin), to be used there.")
	} else {
		fmt.Fprintln(c.out, "Go there and run checkalloc.")
	}
	return nil
}
