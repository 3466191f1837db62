package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"onthestack/internal/verdict"
)

// Clean makes text of strangers safe to show, whatever it is written into: what is no character of any text is replaced, and
// what would reorder the text around it, or hide in it, is spelled out as ⟨U+202E⟩. Tabs and ends of lines remain.
func Clean(text string) string {
	if !suspicious(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n':
			b.WriteRune(r)
		case r == '\r':
		case unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == '\u0085':
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		case unicode.IsControl(r) || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r) // of bytes that are no UTF-8 this is U+FFFD
		}
	}
	return b.String()
}

// suspicious reports whether there may be anything to clean: most lines are plain ASCII.
func suspicious(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' || c >= 0x7f {
			return true
		}
	}
	return false
}

// Shorten cuts text after so many characters, where it says so by "…".
func Shorten(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n == most-1 {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// Inline puts text on one line, with single blanks.
func Inline(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// Plural counts what there is of something: "1 line", "3 lines".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Percent writes a part from 0 to 1: "41 %", "under 1 %".
func Percent(share float64) string {
	if share > 0 && share < 0.01 {
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

// Platform writes what built the program, and the engine of an exercise: "go1.26.8 linux/amd64, native". A package has no choice
// of engines. It is "" where nothing was built.
func Platform(v *verdict.Verdict) string {
	if v.Go == "" {
		return ""
	}
	text := v.Go + " " + v.GOOS + "/" + v.GOARCH
	if v.Engine != "" && v.Exercise != "" {
		text += ", " + v.Engine
	}
	return Inline(text)
}

// Heading names what v is about: the import path of a package, or the exercise and its title.
func Heading(v *verdict.Verdict) string {
	if v.Exercise == "" && v.Package != "" {
		return Inline(v.Package)
	}
	return Inline(v.Exercise + " " + v.Title)
}
