package expand

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/bookdata"
	"onthestack/internal/present/terminal"
	"onthestack/internal/verdict"
)

// width is the width in columns of text that is printed into a page.
const width = 80

// verdict shows the annotated listing. Without JavaScript it shows the text that checkalloc prints.
func (x *expander) verdict(args []string) (string, error) {
	v, err := x.diagnosed(args[0])
	if err != nil {
		return "", err
	}
	sources := map[string][]byte{}
	for _, a := range v.Allocations {
		file, err := bookdata.ReadListingFile(x.book.Files, path.Join(args[0], a.File))
		if err != nil {
			return "", err
		}
		sources[a.File] = []byte(file.Numbered())
	}
	var text strings.Builder
	options := terminal.Options{Width: width, Source: func(file string) []byte { return sources[file] }}
	for _, b := range v.Benchmarks {
		fmt.Fprintf(&text, "  %s   %s   %s B/op\n\n", b.Name, verdict.FormatAllocs(b.AllocsPerOp),
			verdict.FormatBytes(b.BytesPerOp))
	}
	terminal.Allocations(&text, v, options)
	return block("verdict", struct {
		Data *verdict.Verdict
		Text string
	}{v, ansi.Strip(text.String())})
}

// diagnosed returns the verdict on a listing with the compiler's diagnostics.
func (x *expander) diagnosed(listing string) (*verdict.Verdict, error) {
	l, err := x.measured(listing)
	if err != nil {
		return nil, err
	}
	return l.Diagnosed(x.book.Files)
}

// diagnostic matches a line of the compiler's report: its file, its line, and that it is about inlining.
var diagnostic = regexp.MustCompile(`^(?:\./)?([^:]+):(\d+):\d+: (can inline |cannot inline )?`)

// escape shows the compiler's escape report on a region, with explanations. A line of an explanation has the position
// of the diagnostic that it explains, so filtering by position keeps both. Messages about inlining are left out,
// because they are not about memory.
func (x *expander) escape(args []string) (string, error) {
	l, err := x.measured(args[0])
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(args[1], ":")
	_, lines, err := x.read(path.Join(args[0], args[1]))
	if err != nil {
		return "", err
	}
	var report strings.Builder
	for _, line := range l.Report {
		m := diagnostic.FindStringSubmatch(line)
		if m == nil || m[1] != name || m[3] != "" {
			continue
		}
		if n, err := strconv.Atoi(m[2]); err == nil && lines.Contains(n) {
			report.WriteString(line + "\n")
		}
	}
	if report.Len() == 0 {
		return "", fmt.Errorf("the compiler says nothing about %s, %s", name, lines)
	}
	return fence("text", report.String()), nil
}
