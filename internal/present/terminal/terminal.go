// Package terminal writes a Verdict as text for a person: the stages, the figures against their targets, and the source
// around each allocating line with how much it allocates and why. It also writes
//
//   - explanations of packages that are no exercises (explanation.go), also on several releases of Go (releases.go)
//   - diagnostics of the compiler's escape analysis (escapes.go)
//   - the memory of a program at a step (programstep.go)
//
// Which style a figure has against its target is decided in terminal.go.
//
// The text is colored by ANSI escape sequences. For text without colors, pass a writer that removes them.
package terminal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Options are the inputs of a text other than the verdict.
type Options struct {
	Width int // columns, at least 40
	// Command is the name by which the reader calls the checker: "checkalloc".
	Command string
	// Source returns the text of a file of the solver's or the exercise's by its base name, or nil if there is none.
	Source func(file string) []byte
	// Module is the path of the module, which names of its packages are shown without.
	Module string
	// Fold leaves the notes of lines out that are alike with another line's, and names these lines there.
	Fold bool
}

// ExerciseOptions are the options for a verdict on files of an exercise, the reader's by name.
func ExerciseOptions(e *exercise.Exercise, files map[string][]byte, command string, width int) Options {
	return Options{Width: width, Command: command, Fold: true, Source: func(name string) []byte {
		if slices.Contains(e.Edit, name) {
			return files[name]
		}
		return e.Files[name]
	}}
}

// noteMargin is the column at which the note below an allocating line begins.
const noteMargin = present.NoteMargin

// The styles and the indentation of package present, by short names.
var (
	bold, faint, heap = present.Bold, present.Faint, present.Heap
	good, bad, warm   = present.Good, present.Bad, present.Warm
	unstyled          = lipgloss.NewStyle()
	number            = present.Number
	indent, hang      = present.Indent, present.Hang
)

// Verdict writes all of v: heading, stages, the problems of a failed stage, figures and annotated source.
func Verdict(w io.Writer, v *verdict.Verdict, o Options) {
	head(w, v, o.Width)
	stages(w, v)
	Body(w, v, o)
}

// Body writes v without its heading and stages.
func Body(w io.Writer, v *verdict.Verdict, o Options) {
	for _, name := range v.SetAside {
		fmt.Fprint(w, indent(2, warm.Render("note")+"  "+printable.Clean(name)+
			" is not part of a solution: the exercise's own files are used, yours is left as it is", o.Width))
	}
	notRaced := v.Tests.Race.State == verdict.RaceNotRun
	if v.Provisional != "" {
		fmt.Fprint(w, indent(2, warm.Render("provisional pass")+"  "+v.Provisional+
			". It counts where the detector runs: natively, with a C compiler.", o.Width))
	} else if notRaced {
		fmt.Fprint(w, indent(2, warm.Render("note")+"  the tests did not run with -race: "+v.Tests.Race.Why, o.Width))
	}
	if v.Note != "" {
		fmt.Fprint(w, indent(2, good.Render("note")+"  "+v.Note, o.Width))
	}
	if len(v.SetAside) > 0 || notRaced || v.Note != "" {
		fmt.Fprintln(w)
	}
	switch v.Stage {
	case verdict.StagePolicy, verdict.StageBuild:
		problems(w, v, o)
	case verdict.StageTests:
		output(w, v.Tests.Output)
	default:
		benchmarks(w, v.Benchmarks, o.Width)
		output(w, v.Tests.Output)
		Allocations(w, v, o)
	}
}

// head writes the heading: what v is about, and the release and platform that built it.
func head(w io.Writer, v *verdict.Verdict, width int) {
	left := bold.Render(v.Exercise) + "  " + v.Title
	if v.Exercise == "" {
		left = bold.Render(v.Package)
	}
	if v.Go == "" { // nothing was built
		fmt.Fprintf(w, "%s\n\n", left)
		return
	}
	right := fmt.Sprintf("%s %s/%s", v.Go, v.GOOS, v.GOARCH)
	if v.Engine == "wasm" {
		right += " (sandbox)"
	}
	gap := max(2, width-lipgloss.Width(left)-lipgloss.Width(right))
	fmt.Fprintf(w, "%s%s%s\n\n", left, strings.Repeat(" ", gap), faint.Render(right))
}

// stages writes the line "policy ok · build ok · tests 6 of 6 · benchmark not yet".
func stages(w io.Writer, v *verdict.Verdict) {
	var parts []string
	for _, stage := range present.Stages(v) {
		text, style := stage.State, good
		switch stage.State {
		case present.StageNotReached:
			parts = append(parts, faint.Render(stage.Name+" –"))
			continue
		case present.StageNotYet:
			style = bad
		}
		if stage.Name == verdict.StageTests && v.Tests.Run > 0 {
			text = fmt.Sprintf("%d of %d", v.Tests.Run-v.Tests.Failed, v.Tests.Run)
			if race := v.Tests.Race.State; race == verdict.RacePassed || race == verdict.RaceFailed {
				text += " with -race"
			}
		}
		parts = append(parts, stage.Name+" "+style.Render(text))
	}
	fmt.Fprintf(w, "  %s\n\n", strings.Join(parts, faint.Render(" · ")))
}

// problems writes the mistakes, each with its source line.
func problems(w io.Writer, v *verdict.Verdict, o Options) {
	for _, p := range v.Errors {
		problem(w, p, o.Width)
		if code, ok := line(o, p.File, p.Line); ok {
			numberedLine(w, p.Line, code, o.Width)
		}
	}
	fmt.Fprintln(w)
}

func problem(w io.Writer, p verdict.Problem, width int) {
	text := printable.Clean(p.Message)
	if place := p.Place(); place != "" {
		text = bold.Render(printable.Clean(place)) + "  " + text
	}
	fmt.Fprint(w, indent(2, text, width))
}

// maxOutputLines is the number of lines of a program's output that are shown: enough for the first failure.
const maxOutputLines = 24

// output writes the first lines of a program's output.
func output(w io.Writer, text string) {
	if strings.TrimSpace(text) != "" {
		quote(w, text, maxOutputLines, 0, math.MaxInt)
		fmt.Fprintln(w)
	}
}

// quote writes the first and the last lines of a program's output, each with at most that many characters.
func quote(w io.Writer, text string, first, last, columns int) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	left, what := len(lines)-first-last, "lines"
	if last == 0 {
		what = "more lines"
	}
	for i, l := range lines {
		switch {
		case left < 2 || i < first || i >= first+left:
			fmt.Fprintf(w, "  %s %s\n", faint.Render("│"), present.Shorten(printable.Clean(l), columns))
		case i == first:
			fmt.Fprintf(w, "  %s\n", faint.Render(fmt.Sprintf("│ … %d %s", left, what)))
		}
	}
}

// benchmarks writes a table of the figures and their targets. If the table is wider than the terminal, names get lines
// of their own.
func benchmarks(w io.Writer, all []verdict.Benchmark, width int) {
	names, figures := make([]string, len(all)), make([]string, len(all))
	name, most := 0, 0 // columns
	for i, b := range all {
		names[i], figures[i] = printable.Clean(b.Name), againstTarget(b)
		name, most = max(name, lipgloss.Width(names[i])), max(most, lipgloss.Width(figures[i]))
	}
	for i := range all {
		if 2+name+3+most > width {
			fmt.Fprintf(w, "  %s\n    %s\n", names[i], figures[i])
		} else {
			fmt.Fprintf(w, "  %-*s   %s\n", name, names[i], figures[i])
		}
	}
	if len(all) > 0 {
		fmt.Fprintln(w)
	}
	for _, b := range all {
		if b.Why != "" {
			fmt.Fprintln(w, indent(2, bad.Render(present.StageNotYet)+"  "+printable.Clean(b.Name+": "+b.Why)+".", width))
		}
	}
}

// againstTarget writes a benchmark's figures against their targets.
func againstTarget(b verdict.Benchmark) string {
	allocs := verdict.FormatAgainst(b.AllocsPerOp, b.TargetAllocs, verdict.FormatCount)
	bytes := verdict.FormatAgainst(b.BytesPerOp, b.TargetBytes, verdict.FormatBytes)
	text := withTarget(allocs+" "+verdict.AllocsUnit(allocs), b.AllocsPerOp, b.TargetAllocs, good,
		verdict.FormatCount) + "      " + withTarget(bytes+" B/op", b.BytesPerOp, b.TargetBytes, unstyled, verdict.FormatBytes)
	if live := b.LiveBytesPerOp; live != nil {
		text += "      " + withTarget(verdict.FormatBytes(*live)+" live B/op", *live, b.TargetLiveBytes, unstyled,
			verdict.FormatBytes)
	}
	return text
}

// withTarget writes a figure and its target, if it has one. A figure that meets its target has the style met.
func withTarget(
	text string, perOp float64, target *float64, met lipgloss.Style, format func(float64) string,
) string {
	switch {
	case target == nil:
		return text
	case perOp > *target:
		met = bad
	}
	return met.Render(text) + "   target " + format(*target)
}

// Savings returns a benchmark's figures beside the starter's figures: "2 → 1 allocs/op, 112 → 64 B/op".
func Savings(starter exercise.Figure, b verdict.Benchmark) string {
	text := fmt.Sprintf("%s → %s allocs/op, %s → %s B/op",
		verdict.FormatCount(starter.AllocsPerOp), verdict.FormatCount(b.AllocsPerOp),
		verdict.FormatBytes(starter.BytesPerOp), verdict.FormatBytes(b.BytesPerOp))
	if b.LiveBytesPerOp != nil && starter.LiveBytesPerOp != nil {
		text += fmt.Sprintf(", %s → %s live B/op",
			verdict.FormatBytes(*starter.LiveBytesPerOp), verdict.FormatBytes(*b.LiveBytesPerOp))
	}
	return text
}

// table returns rows as lines, the first column aligned to the left and the others to the right. Rows that are too wide
// have less between their columns.
func table(rows [][]string, width int) string {
	widths, total := make([]int, len(rows[0])), -1
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], lipgloss.Width(row[i]))
		}
		total += 3 + widths[i]
	}
	gap := "   "
	if total > width {
		gap = "  "
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if i == 0 {
				line += "  " + cell + blanks
			} else {
				line += gap + blanks + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
