package expand

import (
	"fmt"
	"slices"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// A gridChapter is a group of listings under a heading.
type gridChapter struct {
	Title    string // "" for no heading
	Href     string // of the chapter's page
	Listings []Listed
}

// A grid is what its template shows: a row for each benchmark and a column for each release, and under each listing
// when and why its figures changed.
type grid struct {
	*bookdata.History
	Chapters []gridChapter
}

// Width returns the number of columns, with the one of the listings.
func (g grid) Width() int { return 1 + len(g.Releases) }

// Outlined reports whether the release of an article is outlined.
func (g grid) Outlined() bool {
	return slices.ContainsFunc(g.Chapters, func(c gridChapter) bool {
		return slices.ContainsFunc(c.Listings, func(l Listed) bool { return len(l.Manifest.Articles) > 0 })
	})
}

// Changed returns on which releases a listing's figures changed, what they were and became, and why.
func (g grid) Changed(l Listed) []Change { return Changes(g.History, l.Name, l.Manifest) }

// A gridRow has the figures of a benchmark.
type gridRow struct {
	Label string // HTML
	Cells []gridCell
}

// A gridCell has the figures of a benchmark on one release.
type gridCell struct {
	Class, Title, Text string
	Article            bool // whether an article measured the same on this release
}

// Rows returns the rows of a listing.
func (g grid) Rows(l Listed) (rows []gridRow) {
	names := g.Benchmarks(l.Name)
	for i, name := range names {
		if i > 0 {
			l.Href = "" // one link to a page is enough
		}
		row := gridRow{Label: l.label(name, len(names) == 1)}
		var before *bookdata.Benchmark
		for _, release := range g.Names() {
			m := g.Listings[l.Name][release]
			b, err := m.Benchmark(name)
			if err != nil {
				row.Cells = append(row.Cells, gridCell{"is-missing", missing(l.Manifest, release), "–", false})
				continue
			}
			c := gridCell{fmt.Sprintf("ots-heat-%d", Heat(b.AllocsPerOp)),
				Release(m.Go) + ": " + verdict.FormatFigures(b.AllocsPerOp, b.BytesPerOp),
				verdict.FormatCount(b.AllocsPerOp), false}
			c.Article = slices.ContainsFunc(l.Manifest.Articles, func(a bookdata.Article) bool {
				return a.Release == release && a.About(name, len(names) == 1)
			})
			if before != nil && *before != b {
				c.Class += " is-change"
			}
			if c.Article {
				c.Class += " is-article"
			}
			row.Cells = append(row.Cells, c)
			before = &b
		}
		rows = append(rows, row)
	}
	return rows
}

// missing says why nothing is measured on a release.
func missing(m *bookdata.Manifest, release string) string {
	if !m.On(release) {
		return "since " + Release(m.Since) + ": " + plain(m.SinceWhy)
	}
	return "not measured on " + Release(release)
}
