package app

import (
	"fmt"
	"io"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

// WriteTask writes an exercise's task, its targets and what is checked, wrapped to width columns, with an empty line at
// the end.
func WriteTask(out io.Writer, e *exercise.Exercise, width int) {
	fmt.Fprintf(out, "%s\n\n", wrapTask(e.Task, width))
	for _, b := range e.Benchmarks {
		name := ""
		if len(e.Benchmarks) > 1 {
			name = " of " + b.Name
		}
		text := fmt.Sprintf("Target%s: %s.", name, Amounts(b.Allocs, b.Bytes, b.Live))
		if f, ok := e.StarterFigure(b.Name); ok {
			text += fmt.Sprintf(" The starter makes %s.", Amounts(f.AllocsPerOp, &f.BytesPerOp, nil))
			if f.LiveBytesPerOp != nil {
				text += fmt.Sprintf(" It leaves %s live B/op: bytes that the garbage collector cannot free.",
					verdict.FormatBytes(*f.LiveBytesPerOp))
			}
		}
		fmt.Fprintln(out, present.Wrap(text, width))
	}
	fmt.Fprintf(out, "\nWhat is checked:\n\n%s\n\n", wrapTask(e.Checked, width))
}

// wrapTask wraps a task's paragraphs for a terminal with the given number of columns. Fenced blocks are indented and
// not wrapped.
func wrapTask(task string, width int) string {
	var parts []string
	for i, part := range strings.Split("\n"+strings.TrimSpace(task)+"\n", "\n```") {
		if i%2 == 0 {
			if text := strings.TrimSpace(part); text != "" {
				parts = append(parts, present.Wrap(present.Prose(text), width))
			}
			continue
		}
		_, block, _ := strings.Cut(part, "\n") // the first line names the language
		parts = append(parts, "    "+strings.ReplaceAll(block, "\n", "\n    "))
	}
	return strings.Join(parts, "\n\n")
}
