package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

const (
	// MaxBytes is below the 65,536 characters that GitHub allows in a comment.
	MaxBytes = 65_000

	open       = 3   // functions that are not folded
	maxCode    = 160 // characters of a line
	maxWhy     = 240 // characters of a reason
	maxSteps   = 8   // steps of a line's flow
	maxFigures = 4   // benchmarks whose figures a reason has
	maxName    = 80  // characters of a benchmark's name
	maxRows    = 40  // benchmarks in the table
	maxErrors  = 20
)

// Markdown writes v as a comment on a pull request, in GitHub Flavored Markdown: a summary, the benchmarks, and the
// lines that allocate by function, with their reasons. Text from sources, names and messages is never read as markup, a
// link or a mention. Source returns the text of a file by its base name, with the import path before it for another
// package's file; lines are grouped by the functions in it. Names of packages of the module are shown without its path.
// An error is w's.
func Markdown(w io.Writer, v *verdict.Verdict, source present.Source, module string) error {
	functions, inside := present.Functions(v, source), present.Inside(v, source)
	b := &strings.Builder{}
	summary(b, v, functions)
	benchmarks(b, v.Benchmarks)
	problems(b, v)
	limit := MaxBytes
	if len(inside) > 0 {
		limit -= (MaxBytes - b.Len()) / 4
	}
	sections(b, v, functions, limit, module)
	if len(inside) > 0 {
		if !strings.HasSuffix(b.String(), "\n\n") { // sections end in one of several ways
			b.WriteByte('\n')
		}
		b.WriteString("Inside other packages, as part of the figures above:\n\n")
		sections(b, v, inside, MaxBytes, module)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the comment on %s: %w", present.Heading(v), err)
	}
	return nil
}

// summary writes the first line, which gives the result.
func summary(b *strings.Builder, v *verdict.Verdict, functions []present.Function) {
	lines := lineCount(functions)
	where := present.Plural(lines, "line") + " in " + present.Plural(len(functions), "function")
	fmt.Fprintf(b, "**checkalloc** %s: ", code(cmp.Or(present.Heading(v), "package"), 2*maxCode))
	switch {
	case v.Stage != "" && (v.Stage != verdict.StageBenchmark || !present.Measured(v)):
		fmt.Fprintf(b, "the %s stage failed.", code(v.Stage, maxName))
	case !present.Measured(v):
		fmt.Fprintf(b, "no benchmark; the compiler announces values on the heap on %s.", where)
	case lines == 0:
		fmt.Fprintf(b, "no line allocates in %s.", present.Plural(len(v.Benchmarks), "benchmark"))
	case len(v.Benchmarks) == 1:
		m := v.Benchmarks[0]
		fmt.Fprintf(b, "%s, from %s.", verdict.FormatFigures(m.AllocsPerOp, m.BytesPerOp), where)
	default:
		fmt.Fprintf(b, "%s allocate in %d benchmarks.", where, len(v.Benchmarks))
	}
	if platform := present.Platform(v); platform != "" {
		fmt.Fprintf(b, " <sub>%s</sub>", code(platform, maxName))
	}
	b.WriteString("\n\n")
}

// benchmarks writes a table of the first benchmarks.
func benchmarks(b *strings.Builder, all []verdict.Benchmark) {
	if len(all) == 0 {
		return
	}
	b.WriteString("| benchmark | allocs/op | B/op | ns/op |\n| :-- | --: | --: | --: |\n")
	for i, m := range all {
		if i == maxRows {
			fmt.Fprintf(b, "| … %s | | | |\n", present.Plural(len(all)-i, "more benchmark"))
			break
		}
		live := ""
		if m.LiveBytesPerOp != nil {
			live = ", " + verdict.FormatBytes(*m.LiveBytesPerOp) + " live" +
				target(m.TargetLiveBytes, verdict.FormatBytes)
		}
		fmt.Fprintf(b, "| %s | %s%s | %s%s%s | %s |\n", code(m.Name, maxName),
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
func problems(b *strings.Builder, v *verdict.Verdict) {
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
		b.WriteString(block("text", present.Shorten(strings.Join(lines, "\n"), MaxBytes/16)))
	}
}

// sections writes the functions, all but the first few folded, until the limit is reached.
func sections(b *strings.Builder, v *verdict.Verdict, functions []present.Function, limit int, module string) {
	const reserve = 200 // bytes for the end of the comment
	folded := false
	for i, f := range functions {
		if i == open && len(functions) > open+1 {
			rest := functions[i:]
			fmt.Fprintf(b, "<details><summary>%s in %s</summary>\n\n", present.Plural(lineCount(rest), "more line"),
				present.Plural(len(rest), "more function"))
			folded = true
		}
		text, shown := section(v, f, limit-reserve-b.Len(), module)
		b.WriteString(text)
		if shown < len(f.Lines) {
			if folded {
				b.WriteString("</details>\n\n")
			}
			fmt.Fprintf(b, "… %s\n", present.Plural(lineCount(functions[i:])-shown, "more line"))
			return
		}
	}
	if folded {
		b.WriteString("</details>\n")
	}
}

func lineCount(functions []present.Function) (lines int) {
	for _, f := range functions {
		lines += len(f.Lines)
	}
	return lines
}

// section writes a function with as many of its lines as there is room for, and returns their number.
func section(v *verdict.Verdict, f present.Function, room int, module string) (text string, shown int) {
	name := func(file string) string { return inline(present.FileName(v, module, file), maxCode) }
	head := code(name(f.File), maxCode) + ", " + code(f.Name, maxCode)
	if m := f.Most(); m.Benchmark != "" {
		upTo := ""
		if len(f.Figures()) > 1 {
			upTo = "up to "
		}
		head += ": " + upTo + verdict.FormatFigures(m.AllocsPerOp, m.BytesPerOp)
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
	fmt.Fprintf(&b, "%5d  %s\n", l.Number, inline(l.Code, maxCode))
	say := func(format string, args ...any) { fmt.Fprintf(&b, "       // "+format+"\n", args...) }
	for _, n := range l.Notes() {
		why := inline(n.Why, maxWhy)
		switch {
		case len(n.Figures) == 0:
			say("%s", why)
		case len(v.Benchmarks) == 1:
			say("%s: %s", verdict.FormatFigures(n.Figures[0].AllocsPerOp, n.Figures[0].BytesPerOp), why)
		default:
			say("%s", why)
			for i, m := range n.Figures {
				if i == maxFigures {
					say("  and in %s", present.Plural(len(n.Figures)-i, "more benchmark"))
					break
				}
				say("  %s in %s", verdict.FormatFigures(m.AllocsPerOp, m.BytesPerOp), inline(m.Benchmark, maxCode))
			}
		}
		for _, calls := range n.Callees[:min(len(n.Callees), maxFigures)] {
			say("  calls %s", inline(strings.Join(calls, " → "), maxWhy))
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
		say("  %4s  %s", place, inline(cmp.Or(s.Message, s.Text), maxWhy))
	}
	return b.String()
}

// block returns text as a code block, with a fence longer than any run of backticks in the text.
func block(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence + "\n\n"
}

// inline returns text on one line of at most that many characters.
func inline(text string, most int) string { return present.Shorten(printable.Inline(text), most) }

// code returns text on one line of at most that many characters as a code span. It uses a tag instead of backquotes,
// since between these a table cannot have a backslash before a bar.
func code(text string, most int) string { return "<code>" + references(inline(text, most)) + "</code>" }

// prose returns text on one line as text that mentions nobody. GitHub looks for mentions in the rendered page, except
// in code, so an empty comment separates the sign from what follows.
func prose(text string) string {
	return strings.ReplaceAll(references(printable.Inline(text)), "&#64;", "&#64;<!-- -->")
}

// active matches what Markdown, HTML or GitHub interpret anywhere in a line. A bar ends a cell, "@" mentions people,
// "#" links, "$" begins a formula, and a colon may be part of a link or an emoji: "://", ":smile:", but not ":=".
var active = regexp.MustCompile("[\\\\`*_\\[\\]<>#|~&@$]|:\\b|:[/+-]|www\\.")

// references replaces characters by references, so that nothing is read as markup, a link or a mention.
func references(text string) string {
	return active.ReplaceAllStringFunc(text, func(match string) string {
		return fmt.Sprintf("&#%d;%s", match[0], match[1:])
	})
}
