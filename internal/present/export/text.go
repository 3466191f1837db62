package export

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"onthestack/internal/verdict"
)

const (
	maxText     = 10 << 10 // bytes of one text, before it is escaped
	maxDocument = 1 << 20  // bytes of a document
)

const shortened = "… (shortened)"

// escapeSequence matches sequences that control a terminal: CSI and OSC (ECMA-48).
var escapeSequence = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)?")

// clean returns text that is safe in all of the formats: valid UTF-8 of characters that XML allows, without control
// characters except tabs and newlines, without characters that change the direction of writing, and at most limit bytes
// long. If it was cut, it ends in note.
//
// The result contains neither "::" nor "##". A line that begins with the first or contains the second is a command to a
// GitHub runner (actions/runner, ActionCommand.cs) or an Azure agent that reads the log. The mark by which Jenkins and
// GitLab attach a file is broken too.
func clean(text string, limit int, note string) string {
	cut := false
	if most := 4 * limit; len(text) > most { // the rest would not be shown
		text, cut = text[:most], true
	}
	if strings.Contains(text, "\x1b") {
		text = escapeSequence.ReplaceAllString(text, "")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	var last rune
	for _, r := range text {
		if b.Len() > limit {
			break
		}
		if r == '\r' {
			r = '\n'
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == 0xFFFE ||
			r == 0xFFFF {
			continue
		}
		if r == last && (r == ':' || r == '#') {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	text = attachment.ReplaceAllString(b.String(), "[ [$1")
	if cut = cut || len(text) > limit; cut {
		text = strings.ToValidUTF8(text[:max(0, min(len(text), limit-len(note)))], "")
	}
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if cut && len(text)+len(note) <= limit {
		text += note
	}
	return text
}

var attachment = regexp.MustCompile(`(?i)\[\[(ATTACHMENT)`)

// summary says in one line why v has not passed. It quotes no text of the student's.
func summary(v *verdict.Verdict) string {
	switch {
	case v.Pass && v.Provisional != "":
		return "passed, provisionally"
	case v.Pass:
		return "passed"
	case v.Stage == verdict.StagePolicy:
		return "policy: the code uses what the exercise does not allow, or a file is missing"
	case v.Stage == verdict.StageBuild:
		return "build: the code does not compile"
	case v.Stage == verdict.StageTests && v.Tests.Race.State == verdict.RaceFailed:
		return "tests: they do not pass under the race detector"
	case v.Stage == verdict.StageTests:
		return fmt.Sprintf("tests: %d of %d failed", v.Tests.Failed, v.Tests.Run)
	}
	if b := missed(v); b != nil {
		return "benchmark: " + figures(*b)
	}
	return "benchmark: it did not finish"
}

// resultLine returns the summary, and a note on what the check left out. It quotes no text of the student's.
func resultLine(v *verdict.Verdict) string {
	if note := unraced(v); note != "" {
		return summary(v) + "; " + note
	}
	return summary(v)
}

// unraced returns a note if the exercise asks for the race detector and its tests ran without it, and "" otherwise.
func unraced(v *verdict.Verdict) string {
	note := ""
	if v.Provisional != "" {
		note = "provisional pass: "
	}
	switch {
	case v.Tests.Race.State != verdict.RaceNotRun:
		return ""
	case v.Engine == "wasm":
		return note + "the tests did not run with -race: the sandbox has no race detector"
	}
	return note + "the tests did not run with -race: this machine cannot"
}

// printed returns the output of the tests, after a note on what was left out.
func printed(v *verdict.Verdict) string {
	if note := unraced(v); note != "" {
		return note + "\n" + v.Tests.Output
	}
	return v.Tests.Output
}

// missed returns the first benchmark that misses its target, or nil if there is none.
func missed(v *verdict.Verdict) *verdict.Benchmark {
	for i := range v.Benchmarks {
		if !v.Benchmarks[i].Pass {
			return &v.Benchmarks[i]
		}
	}
	return nil
}

// figures returns "BenchmarkSum: 4 allocs/op (target 0), 26 B/op".
func figures(b verdict.Benchmark) string {
	target := func(t *float64, format func(float64) string) string {
		if t == nil {
			return ""
		}
		return fmt.Sprintf(" (target %s)", format(*t))
	}
	live := ""
	if b.LiveBytesPerOp != nil {
		live = fmt.Sprintf(", %s live B/op%s", verdict.FormatBytes(*b.LiveBytesPerOp),
			target(b.TargetLiveBytes, verdict.FormatBytes))
	}
	why := ""
	if b.Why != "" {
		why = ": " + b.Why
	}
	allocs := verdict.FormatAgainst(b.AllocsPerOp, b.TargetAllocs, verdict.FormatCount)
	return fmt.Sprintf("%s: %s %s%s, %s B/op%s%s%s", b.Name,
		allocs, verdict.AllocsUnit(allocs), target(b.TargetAllocs, verdict.FormatCount),
		verdict.FormatAgainst(b.BytesPerOp, b.TargetBytes, verdict.FormatBytes),
		target(b.TargetBytes, verdict.FormatBytes), live, why)
}

// report returns the whole report for a student: the summary, mistakes with their places, figures, and the lines that
// allocate. It quotes the compiler, and thereby the student's code, so callers must clean it.
func report(v *verdict.Verdict) string {
	var b strings.Builder
	if missed(v) == nil { // otherwise its figures follow
		fmt.Fprintln(&b, summary(v))
	}
	for _, p := range v.Errors {
		p.Col = 0 // the line is enough
		fmt.Fprintf(&b, "%s: %s\n", p.Place(), p.Message)
	}
	for _, bench := range v.Benchmarks {
		fmt.Fprintln(&b, figures(bench))
		for _, a := range v.Allocations {
			if a.Benchmark == bench.Name {
				fmt.Fprintf(&b, "  %s:%d: %s: %s\n", a.File, a.Line,
					verdict.FormatFigures(a.AllocsPerOp, a.BytesPerOp), a.Why)
			}
		}
	}
	if race := v.Tests.Race; race.State == verdict.RaceNotRun {
		fmt.Fprintf(&b, "the tests did not run with -race: %s\n", race.Why)
	}
	for _, name := range v.SetAside {
		fmt.Fprintf(&b, "%s is not part of a solution: it was not used\n", name)
	}
	return b.String()
}
