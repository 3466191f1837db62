package expand

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"path"
	"slices"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// grid shows the figures of the named listings on each release, or once if each has the same on all of them. Without
// names it shows all listings of the book, by chapter.
func (x *expander) grid(args []string) (string, error) {
	if len(args) > 0 {
		listings, h, err := x.rows(args)
		if err != nil {
			return "", err
		}
		if s := steadyRows(h, listings); s != nil {
			return block("steady", s)
		}
		return block("grid", grid{h, []gridChapter{{Listings: listings}}})
	}
	names, err := bookdata.FindListings(x.book.Files)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("no listing has a benchmark")
	}
	listings, h, err := x.rows(x.book.byPlace(names))
	problems := []error{err}
	byFolder := map[string][]Listed{}
	for _, l := range listings {
		byFolder[l.Chapter] = append(byFolder[l.Chapter], l)
	}
	var chapters []gridChapter
	for _, c := range x.book.Chapters() {
		listings := byFolder[c.Folder]
		if delete(byFolder, c.Folder); listings == nil {
			continue
		}
		home := path.Join(c.Folder, "README.md")
		if c.Title == "" {
			problems = append(problems, fmt.Errorf("%s has no heading: begin it with the chapter's title", home))
		}
		chapters = append(chapters, gridChapter{Title: c.Title, Href: x.href(home), Listings: listings})
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		problems = append(problems, fmt.Errorf("no page %s/README.md: write it, and add it to SUMMARY.md", folder))
	}
	if err := errors.Join(problems...); err != nil {
		return "", err
	}
	return block("grid", grid{h, chapters})
}

// A Listed is a listing that has a history.
type Listed struct {
	Name     string // its folder in the book's
	Chapter  string // the chapter's folder
	Page     string // that shows it; "" for none
	Href     string // of that page on the current one; "" for no link
	Manifest *bookdata.Manifest
}

// label returns the label of a benchmark's row as HTML, with a link to the page that shows the listing.
func (l Listed) label(benchmark string, alone bool) string {
	label := anchor(l.Manifest.Title, l.Href)
	if !alone {
		label += ", " + html.EscapeString(bookdata.BenchmarkWords(benchmark))
	}
	return label
}

// rows returns listings, and the history. The error joins the errors of all listings.
func (x *expander) rows(names []string) (rows []Listed, h *bookdata.History, err error) {
	if h, err = x.history(); err != nil {
		return nil, nil, err
	}
	var problems []error
	for _, name := range names {
		_, m, err := x.show(name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		l := Listed{Name: name, Chapter: chapterOf(name), Manifest: m}
		if l.Page, _ = x.book.firstShown(name); l.Page != "" {
			l.Href = x.href(l.Page)
		}
		rows = append(rows, l)
	}
	return rows, h, errors.Join(problems...)
}

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

// manifest returns a listing's manifest.
func (x *expander) manifest(name string) (*bookdata.Manifest, error) {
	if err := x.exists(name); err != nil {
		return nil, err
	}
	return bookdata.ReadManifest(x.book.Files, name)
}

// show returns the history, and the manifest of a listing whose history a page shows. The two are compared after all
// pages.
func (x *expander) show(name string) (*bookdata.History, *bookdata.Manifest, error) {
	m, err := x.manifest(name)
	if err != nil {
		return nil, nil, err
	}
	h, err := x.history()
	if err != nil {
		return nil, nil, err
	}
	if h.Listings[name] == nil {
		return nil, nil, fmt.Errorf("%s is not in %s: run %q", name, bookdata.HistoryFile, bookdata.HistoryCommand)
	}
	x.shown[name] = true
	return h, m, nil
}

// onRelease returns what was measured of a listing on an older release.
func (x *expander) onRelease(name, release string) (m bookdata.Measurement, err error) {
	h, _, err := x.show(name)
	if err != nil {
		return m, err
	}
	return h.Of(name, release)
}
