package expand

import (
	"errors"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// articles compares the figures of the article that a chapter follows with the chapter's listings on the same release.
func (x *expander) articles(args []string) (string, error) {
	chapter := strings.TrimSuffix(args[0], "/")
	all, err := x.benchmarked()
	if err != nil {
		return "", err
	}
	var names []string
	for _, name := range all {
		if chapterOf(name) == chapter {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no listing with a benchmark in %s: name a chapter's folder", chapter)
	}
	var rows strings.Builder
	var problems []error
	for _, name := range x.book.byPlace(names) {
		m, err := x.manifest(name)
		if err != nil || len(m.Articles) == 0 {
			problems = append(problems, err)
			continue
		}
		h, _, err := x.show(name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, a := range m.Articles {
			problems = append(problems, x.article(&rows, h, name, m, a))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return "", err
	}
	if rows.Len() == 0 {
		return "", fmt.Errorf("no listing of %s has an [[article]] in its %s", chapter, bookdata.ManifestFile)
	}
	return `<div class="ots-articles" role="region" tabindex="0" aria-label="The article's figures and ours">
<table>
<caption>What the article measured, and what the listing measures on the same release</caption>
<thead><tr><th scope="col" rowspan="2">Listing</th><th scope="colgroup" colspan="3">Article</th><th scope="colgroup" colspan="3">Measured</th></tr>
<tr><th scope="col">Go</th><th scope="col">allocs/op</th><th scope="col">B/op</th><th scope="col">Go</th><th scope="col">allocs/op</th><th scope="col">B/op</th></tr></thead>
` + rows.String() + "</table>\n</div>\n", nil
}

// article writes the row of one figure.
func (x *expander) article(
	to *strings.Builder,
	h *bookdata.History,
	name string,
	m *bookdata.Manifest,
	a bookdata.Article,
) error {
	measured, err := h.Of(name, a.Release)
	if err != nil {
		return err
	}
	b, err := h.Figure(name, a.Release, a.Benchmark)
	if err != nil {
		return err
	}
	label := html.EscapeString(m.Title)
	if href := x.shownOn(name); href != "" {
		label = fmt.Sprintf("<a href=\"%s\">%s</a>", html.EscapeString(href), label)
	}
	if len(measured.Benchmarks) > 1 {
		label += ", " + html.EscapeString(bookdata.BenchmarkWords(b.Name))
	}
	on := measured.Go + " " + measured.Platform
	theirs, ours := "–", verdict.FormatBytes(b.BytesPerOp)
	if a.Bytes != nil {
		theirs, ours = verdict.FormatBytes(*a.Bytes), beside(b.BytesPerOp, *a.Bytes, verdict.FormatBytes)
	}
	fmt.Fprintf(to,
		"<tbody>\n<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></"+
			"tr>\n",
		label,
		strings.TrimPrefix(a.Release, "go"), verdict.FormatCount(a.Allocs), theirs, strings.TrimPrefix(measured.Go,
			"go"),
		figure{beside(b.AllocsPerOp, a.Allocs, verdict.FormatCount), on}.span(), figure{ours, on}.span())
	if a.Reason != "" {
		fmt.Fprintf(to, "<tr class=\"ots-why\"><td colspan=\"7\">%s</td></tr>\n", Prose(a.Reason))
	}
	to.WriteString("</tbody>\n")
	return nil
}

// beside formats a measured figure that is shown next to the article's, which "go test" truncated to a whole number. If
// rounding would make two figures look different that are equal when truncated, beside writes all digits.
func beside(measured, article float64, format func(float64) string) string {
	if math.Trunc(measured) == article && format(measured) != format(article) {
		return strconv.FormatFloat(measured, 'f', -1, 64)
	}
	return format(measured)
}
