package expand

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// Heat is the shade of a cell, 0 to 4: by 0, 1, up to 3, up to 7 and more allocs/op. Less than one allocation is not
// none.
func Heat(allocsPerOp float64) int {
	switch {
	case allocsPerOp == 0:
		return 0
	case allocsPerOp < 2:
		return 1
	case allocsPerOp < 4:
		return 2
	case allocsPerOp < 8:
		return 3
	}
	return 4
}

// Release writes a Go release as prose does: "Go 1.8.7".
func Release(version string) string { return "Go " + number(version) }

func number(version string) string { return strings.TrimPrefix(version, "go") }

// Figures writes a measurement: "2 allocs/op, 117 B/op".
func Figures(b bookdata.Benchmark) string {
	return verdict.FormatAllocs(b.AllocsPerOp) + ", " + verdict.FormatBytes(b.BytesPerOp) + " B/op"
}

func count(allocsPerOp float64) string { return verdict.FormatCount(allocsPerOp) }

// anchor links a text, where there is something to link to.
func anchor(text, href string) string {
	if href == "" {
		return html.EscapeString(text)
	}
	return fmt.Sprintf("<a href=\"%s\">%s</a>", html.EscapeString(href), html.EscapeString(text))
}

// oneLine takes out line breaks: a blank line would end the HTML block.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// plain is a manifest's sentence where no code can be marked.
func plain(text string) string { return strings.ReplaceAll(oneLine(text), "`", "") }

var codeMark = regexp.MustCompile("`([^`]+)`")

// Prose makes HTML of a manifest's sentence, in which code stands between backticks.
func Prose(text string) string {
	return codeMark.ReplaceAllString(html.EscapeString(oneLine(text)), "<code>$1</code>")
}
