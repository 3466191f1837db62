package expand

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// articles compares the figures of the article that a chapter follows with the chapter's listings on the same release.
func (x *expander) articles(args []string) (string, error) {
	chapter := strings.TrimSuffix(args[0], "/")
	all, err := bookdata.FindListings(x.book.Files)
	if err != nil {
		return "", err
	}
	names := slices.DeleteFunc(all, func(name string) bool { return chapterOf(name) != chapter })
	if len(names) == 0 {
		return "", fmt.Errorf("no listing with a benchmark in %s: name a chapter's folder", chapter)
	}
	listings, h, err := x.rows(x.book.byPlace(names))
	problems := []error{err}
	var rows []articleRow
	for _, l := range listings {
		for _, a := range l.Manifest.Articles {
			row, err := article(h, l, a)
			problems = append(problems, err)
			rows = append(rows, row)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("no listing of %s has an [[article]] in its %s", chapter, bookdata.ManifestFile)
	}
	return block("articles", rows)
}

// An articleRow is the row of one figure.
type articleRow struct {
	bookdata.Article
	Label                           string // HTML
	Go                              string // the release that was measured
	TheirBytes, OurAllocs, OurBytes string // HTML
}

func article(h *bookdata.History, l Listed, a bookdata.Article) (row articleRow, err error) {
	b, measured, err := h.Figure(l.Name, a.Release, a.Benchmark)
	if err != nil {
		return row, err
	}
	on := measured.Go + " " + measured.Platform
	row = articleRow{a, l.label(b.Name, len(measured.Benchmarks) == 1), measured.Go, "–",
		figure{beside(b.AllocsPerOp, a.Allocs, verdict.FormatCount), on}.span(), verdict.FormatBytes(b.BytesPerOp)}
	if a.Bytes != nil {
		row.TheirBytes = verdict.FormatBytes(*a.Bytes)
		row.OurBytes = beside(b.BytesPerOp, *a.Bytes, verdict.FormatBytes)
	}
	row.OurBytes = figure{row.OurBytes, on}.span()
	return row, nil
}

// beside formats a measured figure that is shown next to the article's, which "go test" truncated to a whole number. If
// rounding would make two figures look different that are equal when truncated, beside writes all digits.
func beside(measured, article float64, format func(float64) string) string {
	if math.Trunc(measured) == article && format(measured) != format(article) {
		return allDigits(measured)
	}
	return format(measured)
}
