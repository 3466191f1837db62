package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// MarkdownOptions are the inputs of a comment other than the verdict.
type MarkdownOptions struct {
	// Source returns the text of a file by its base name, with the import path before it for another package's file, or
	// nil if there is none. Lines are grouped by the functions in it.
	Source func(file string) []byte
	// Module is the path of the module, which names of its packages are shown without.
	Module string
	// Limit is the most bytes that are written. A limit that is 0, above MaxBytes or too small for a summary means
	// MaxBytes.
	Limit int
}

const (
	// MaxBytes is below the 65,536 characters that GitHub allows in a comment.
	MaxBytes = 65_000

	minBytes   = 4_000 // the least limit
	open       = 3     // functions that are not folded
	maxCode    = 160   // characters of a line
	maxWhy     = 240   // characters of a reason
	maxSteps   = 8     // steps of a line's flow
	maxFigures = 4     // benchmarks whose figures a reason has
	maxName    = 80    // characters of a benchmark's name
	maxRows    = 40    // benchmarks in the table
	maxErrors  = 20
)

// Markdown writes v as a comment on a pull request, in GitHub Flavored Markdown: a summary, the benchmarks, and the
// lines that allocate by function, with their reasons. Text from sources, names and messages is never read as markup, a link or a mention. An
// error is w's.
func Markdown(w io.Writer, v *verdict.Verdict, o MarkdownOptions) error {
	limit := o.Limit
	if limit < minBytes || limit > MaxBytes {
		limit = MaxBytes
	}
	functions, inside := present.Functions(v, o.Source), present.Inside(v, o.Source)
	b := &strings.Builder{}
	summary(b, v, functions)
	benchmarks(b, v.Benchmarks, limit/2)
	problems(b, v, limit)
	ownLimit := limit
	if len(inside) > 0 {
		ownLimit -= (limit - b.Len()) / 4
	}
	sections(b, v, functions, ownLimit, o.Module)
	if len(inside) > 0 {
		if !strings.HasSuffix(b.String(), "\n\n") { // sections end in one of several ways
			b.WriteByte('\n')
		}
		b.WriteString("Inside other packages, as part of the figures above:\n\n")
		sections(b, v, inside, limit, o.Module)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the comment on %s: %w", present.Heading(v), err)
	}
	return nil
}

// summary writes the first line, which gives the result.
func summary(b *strings.Builder, v *verdict.Verdict, functions []present.Function) {
	lines := 0
	for _, f := range functions {
		lines += len(f.Lines)
	}
	fmt.Fprintf(b, "**checkalloc** %s: ", code(present.Shorten(cmp.Or(present.Heading(v), "package"), 2*maxCode)))
	switch {
	case v.Stage != "" && (v.Stage != verdict.StageBenchmark || !present.Measured(v)):
		fmt.Fprintf(b, "the %s stage failed.", code(present.Shorten(printable.Inline(v.Stage), maxName)))
	case !present.Measured(v):
		fmt.Fprintf(b, "no benchmark; the compiler announces values on the heap on %s in %s.",
			present.Plural(lines, "line"), present.Plural(len(functions), "function"))
	case lines == 0:
		fmt.Fprintf(b, "no line allocates in %s.", present.Plural(len(v.Benchmarks), "benchmark"))
	case len(v.Benchmarks) == 1:
		m := v.Benchmarks[0]
		fmt.Fprintf(b, "%s, %s B/op, from %s in %s.",
			verdict.FormatAllocs(m.AllocsPerOp), verdict.FormatBytes(m.BytesPerOp),
			present.Plural(lines, "line"), present.Plural(len(functions), "function"))
	default:
		fmt.Fprintf(b, "%s in %s allocate in %d benchmarks.", present.Plural(lines, "line"),
			present.Plural(len(functions), "function"), len(v.Benchmarks))
	}
	if platform := present.Platform(v); platform != "" {
		fmt.Fprintf(b, " <sub>%s</sub>", code(present.Shorten(platform, maxName)))
	}
	b.WriteString("\n\n")
}

// benchmarks writes a table of as many benchmarks as fit.
func benchmarks(b *strings.Builder, all []verdict.Benchmark, limit int) {
	if len(all) == 0 {
		return
	}
	b.WriteString("| benchmark | allocs/op | B/op | ns/op |\n| :-- | --: | --: | --: |\n")
	for i, m := range all {
		if i == maxRows || b.Len() > limit-10*maxName {
			fmt.Fprintf(b, "| … %s | | | |\n", present.Plural(len(all)-i, "more benchmark"))
			break
		}
		live := ""
		if m.LiveBytesPerOp != nil {
			live = ", " + verdict.FormatBytes(*m.LiveBytesPerOp) + " live" +
				target(m.TargetLiveBytes, verdict.FormatBytes)
		}
		fmt.Fprintf(b, "| %s | %s%s | %s%s%s | %s |\n", code(present.Shorten(printable.Inline(m.Name), maxName)),
			verdict.FormatCount(m.AllocsPerOp), target(m.TargetAllocs, verdict.FormatCount),
			verdict.FormatBytes(m.BytesPerOp), target(m.TargetBytes, verdict.FormatBytes), live,
			verdict.FormatTime(m.NsPerOp))
	}
	b.WriteString("\n")
}

func target(figure *float64, format func(float64) string) string {
	if figure == nil {
		return ""
	}
	return " (target " + format(*figure) + ")"
}

// problems writes why nothing was measured.
func problems(b *strings.Builder, v *verdict.Verdict, limit int) {
	var lines []string
	for i, p := range v.Errors {
		if i == maxErrors {
			lines = append(lines, "… "+present.Plural(len(v.Errors)-i, "more error"))
			break
		}
		place := printable.Inline(p.File)
		if p.Line > 0 {
			place += fmt.Sprintf(":%d", p.Line)
		}
		lines = append(lines, place+": "+present.Shorten(printable.Clean(p.Message), 2*maxWhy))
	}
	if out := strings.TrimSpace(printable.Clean(v.Tests.Output)); out != "" {
		lines = append(lines, out)
	}
	if len(lines) > 0 {
		b.WriteString(block("text", present.Shorten(strings.Join(lines, "\n"), limit/16)))
	}
}

// sections writes the functions, all but the first few folded, until the limit is reached.
func sections(b *strings.Builder, v *verdict.Verdict, functions []present.Function, limit int, module string) {
	const reserve = 200 // bytes for the end of the comment
	folded := false
	for i, f := range functions {
		if i == open && len(functions) > open+1 {
			more := 0
			for _, f := range functions[i:] {
				more += len(f.Lines)
			}
			fmt.Fprintf(b, "<details><summary>%s in %s</summary>\n\n", present.Plural(more, "more line"),
				present.Plural(len(functions)-i, "more function"))
			folded = true
		}
		text, shown := section(v, f, limit-reserve-b.Len(), module)
		b.WriteString(text)
		if shown < len(f.Lines) {
			more := len(f.Lines) - shown
			for _, f := range functions[i+1:] {
				more += len(f.Lines)
			}
			if folded {
				b.WriteString("</details>\n\n")
			}
			fmt.Fprintf(b, "… %s\n", present.Plural(more, "more line"))
			return
		}
	}
	if folded {
		b.WriteString("</details>\n")
	}
}

// section writes a function with as many of its lines as there is room for, and returns their number.
func section(v *verdict.Verdict, f present.Function, room int, module string) (text string, shown int) {
	name := func(file string) string {
		return present.Shorten(printable.Inline(present.FileName(v, module, file)), maxCode)
	}
	head := fmt.Sprintf("%s, %s", code(name(f.File)),
		code(present.Shorten(printable.Inline(f.Name), maxCode)))
	if m := f.Most(); m.Benchmark != "" {
		upTo := ""
		if len(f.Figures()) > 1 {
			upTo = "up to "
		}
		head += fmt.Sprintf(": %s%s, %s B/op", upTo, verdict.FormatAllocs(m.AllocsPerOp),
			verdict.FormatBytes(m.BytesPerOp))
	}
	head += "\n\n"
	// Leave room for both fences, which are longer than any run of backticks in a line.
	room -= len(head) + 2*(maxWhy+16)
	var lines strings.Builder
	for _, l := range f.Lines {
		text := annotated(v, l, name)
		if lines.Len()+len(text) > room {
			break
		}
		lines.WriteString(text)
		shown++
	}
	if shown == 0 {
		return "", 0
	}
	return head + block("go", strings.TrimSuffix(lines.String(), "\n")), shown
}

// annotated returns a line of source, with comments below it that say how much it allocates and why. It calls name for
// the names of files.
func annotated(v *verdict.Verdict, l present.Line, name func(file string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%5d  %s\n", l.Number, present.Shorten(printable.Inline(l.Code), maxCode))
	say := func(format string, args ...any) { fmt.Fprintf(&b, "       // "+format+"\n", args...) }
	for _, n := range l.Notes() {
		why := present.Shorten(printable.Inline(n.Why), maxWhy)
		switch {
		case len(n.Figures) == 0:
			say("%s", why)
		case len(v.Benchmarks) == 1:
			say("%s, %s B/op: %s", verdict.FormatAllocs(n.Figures[0].AllocsPerOp),
				verdict.FormatBytes(n.Figures[0].BytesPerOp), why)
		default:
			say("%s", why)
			for i, m := range n.Figures {
				if i == maxFigures {
					say("  and in %s", present.Plural(len(n.Figures)-i, "more benchmark"))
					break
				}
				say("  %s, %s B/op in %s", verdict.FormatAllocs(m.AllocsPerOp), verdict.FormatBytes(m.BytesPerOp),
					present.Shorten(printable.Inline(m.Benchmark), maxCode))
			}
		}
		for i, calls := range n.Callees {
			if i == maxFigures {
				break
			}
			say("  calls %s", present.Shorten(printable.Inline(strings.Join(calls, " → ")), maxWhy))
		}
		if n.Shared {
			say("  objects under 16 bytes share blocks, so this count is an estimate")
		}
	}
	steps := l.Steps()
	for i, s := range steps {
		if i == maxSteps {
			say("  … %s", present.Plural(len(steps)-i, "more step"))
			break
		}
		place := fmt.Sprint(s.Line)
		if s.File != l.File {
			place = fmt.Sprintf("%s:%d", name(s.File), s.Line)
		}
		say("  %4s  %s", place, present.Shorten(printable.Inline(cmp.Or(s.Message, s.Text)), maxWhy))
	}
	return b.String()
}

// block returns text as a code block, with a fence longer than any run of backticks in the text.
func block(language, text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + language + "\n" + text + "\n" + fence + "\n\n"
}

// code returns text as a code span.
func code(text string) string { return "<code>" + plain(text) + "</code>" }

// plain returns text of one line as plain text: every character except letters, digits and blanks becomes a character
// reference, so that nothing is read as markup, a link or a mention.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == ' ', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r > 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
