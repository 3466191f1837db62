package expand

import (
	_ "embed"
	"encoding/json"
	"strings"
	"text/template"

	"onthestack/internal/verdict"
)

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
