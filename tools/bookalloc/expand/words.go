package expand

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"
	"text/template"

	"onthestack/internal/verdict"
)

// A Shade is a background of the grid's cells, with the range of allocs/op that it stands for.
type Shade struct {
	Heat int    `json:"heat"`
	Text string `json:"text"`
	from float64
}

// Shades are all shades, beginning with the shade of 0 allocs/op. Less than one allocation is not none.
var Shades = []Shade{
	{0, "0", 0}, {1, "1", math.SmallestNonzeroFloat64}, {2, "2 to 3", 2}, {3, "4 to 7", 4}, {4, "8 and more", 8},
}

// Heat returns the shade of a cell.
func Heat(allocsPerOp float64) (heat int) {
	for _, s := range Shades {
		if allocsPerOp >= s.from {
			heat = s.Heat
		}
	}
	return heat
}

// Release writes a Go release as prose does: "Go 1.8.7".
func Release(version string) string { return "Go " + number(version) }

func number(version string) string { return strings.TrimPrefix(version, "go") }

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

//go:embed blocks.html
var blocksHTML string

// blocks are not templates of html/template, which would escape the Markdown in them.
var blocks = template.Must(template.New("").Funcs(template.FuncMap{
	"anchor": anchor, "codes": codeSpans, "count": verdict.FormatCount, "data": dataBlock, "fence": fence,
	"number": number, "release": Release, "trim": strings.TrimSpace,
	"inc":      func(i int) int { return i + 1 },
	"sentence": func(text string) string { return Prose(strings.TrimSuffix(text, ".")) + "." },
	"line":     func(text string, n int) string { return strings.TrimSpace(strings.Split(text, "\n")[n-1]) },
}).Parse(blocksHTML))

// block returns the block of a directive, by its name in blocks.html.
func block(name string, data any) (string, error) {
	var b strings.Builder
	err := blocks.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// dataBlock returns v as an element of JSON for the page's script. Marshal escapes "<", so that nothing in v ends the
// element, and writes one line.
func dataBlock(v any) (string, error) {
	data, err := json.Marshal(v)
	return "<script type=\"application/json\" class=\"ots-data\">" + string(data) + "</script>\n", err
}
