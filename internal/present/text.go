package present

import (
	"fmt"
	"strings"

	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Shorten cuts text to at most that many characters. The last character of a text that was cut is "…".
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// Capital writes the first letter of a text, which is ASCII, in upper case.
func Capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Plural writes a count with its noun: "1 line", "3 lines".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// List writes words in a sentence: "a, b and c" if the last word is "and".
func List(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Percent writes a share from 0 to 1 as a percentage: "41 %", "under 1 %".
func Percent(share float64) string { return verdict.FormatShare(share) }

// Platform writes the release and platform that built the program, and for an exercise the engine that ran it:
// "go1.26.8 linux/amd64, native". It returns "" if nothing was built.
func Platform(v *verdict.Verdict) string {
	if v.Go == "" {
		return ""
	}
	text := v.Go + " " + v.GOOS + "/" + v.GOARCH
	if v.Engine != "" && v.Exercise != "" {
		text += ", " + v.Engine
	}
	return printable.Inline(text)
}

// Heading returns what v is about: the import path of a package, or the exercise and its title.
func Heading(v *verdict.Verdict) string {
	if v.Exercise == "" && v.Package != "" {
		return printable.Inline(v.Package)
	}
	return printable.Inline(v.Exercise + " " + v.Title)
}
