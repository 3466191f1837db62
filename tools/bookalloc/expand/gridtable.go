package expand

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
)

// A gridChapter is a group of listings under a heading.
type gridChapter struct {
	Title    string // "" for no heading
	Href     string // of the chapter's page
	Listings []gridListing
}

// A gridListing is one listing of a grid.
type gridListing struct {
	Name     string // its folder in the book's
	Manifest *bookdata.Manifest
	Href     string // of the page that shows it; "" for no link
}

// A gridTable is a grid that is being written.
type gridTable struct {
	strings.Builder
	history *bookdata.History
	columns []string // minor releases, oldest first
}

// gridHTML returns the grid, an HTML table with a row for each benchmark and a column for each release, and under each
// listing when and why its figures changed. Markdown ends an HTML block at a blank line, so there are none in it.
func gridHTML(h *bookdata.History, chapters []gridChapter) string {
	t := &gridTable{history: h, columns: h.Names()}
	caption := "allocs/op on each Go release"
	if slices.ContainsFunc(chapters, func(c gridChapter) bool {
		return slices.ContainsFunc(c.Listings, func(l gridListing) bool { return len(l.Manifest.Articles) > 0 })
	}) {
		caption += "; the release of the article is outlined"
	}
	t.WriteString("<div class=\"ots-history\" role=\"region\" tabindex=\"0\" " +
		"aria-label=\"allocs/op by Go release\">\n<table>\n")
	fmt.Fprintf(t, "<caption>%s</caption>\n<thead><tr><th scope=\"col\">Listing</th>", caption)
	for _, release := range t.columns {
		fmt.Fprintf(t, "<th scope=\"col\"><abbr title=\"%s\">%s</abbr></th>",
			html.EscapeString(Release(h.Releases[release])), number(release))
	}
	t.WriteString("</tr></thead>\n")
	for _, c := range chapters {
		if c.Title != "" {
			fmt.Fprintf(t, "<tbody class=\"ots-chapter\"><tr>"+
				"<th scope=\"colgroup\" colspan=\"%d\">%s</th></tr></tbody>\n",
				1+len(t.columns), anchor(c.Title, c.Href))
		}
		for _, l := range c.Listings {
			t.listing(l)
		}
	}
	t.WriteString("</table>\n</div>\n")
	return t.String()
}

// listing writes a listing's rows.
func (t *gridTable) listing(l gridListing) {
	t.WriteString("<tbody>\n")
	names := t.history.Benchmarks(l.Name)
	for i, benchmark := range names {
		label := anchor(l.Manifest.Title, l.Href)
		if i > 0 { // one link to a page is enough
			label = html.EscapeString(l.Manifest.Title)
		}
		if len(names) > 1 {
			label += ", " + html.EscapeString(bookdata.BenchmarkWords(benchmark))
		}
		fmt.Fprintf(t, "<tr><th scope=\"row\">%s</th>", label)
		var before *bookdata.Benchmark
		for _, release := range t.columns {
			before = t.cell(l, release, benchmark, len(names) == 1, before)
		}
		t.WriteString("</tr>\n")
	}
	fmt.Fprintf(t, "<tr class=\"ots-why\"><td colspan=\"%d\">%s</td></tr>\n</tbody>\n", 1+len(t.columns),
		changes(t.history, l))
}

// cell writes what a benchmark measures on a release, and returns it. If the release has no measurement, it returns
// before.
func (t *gridTable) cell(l gridListing, release, benchmark string, alone bool, before *bookdata.Benchmark) *bookdata.Benchmark {
	m := t.history.Listings[l.Name][release]
	b, err := m.Benchmark(benchmark)
	if err != nil {
		fmt.Fprintf(t, "<td class=\"is-missing\" title=\"%s\">–</td>",
			html.EscapeString(missing(l.Manifest, release)))
		return before
	}
	class := fmt.Sprintf("ots-heat-%d", Heat(b.AllocsPerOp))
	if before != nil && *before != b {
		class += " is-change"
	}
	note := ""
	if slices.ContainsFunc(l.Manifest.Articles, func(a bookdata.Article) bool {
		return a.Release == release && (a.Benchmark == benchmark || a.Benchmark == "" && alone)
	}) {
		class += " is-article"
		note = "<span class=\"ots-hidden\">, the article's release</span>"
	}
	fmt.Fprintf(t, "<td class=\"%s\" title=\"%s: %s\">%s%s</td>", class, Release(m.Go), Figures(b),
		count(b.AllocsPerOp), note)
	return &b
}

// missing says why nothing is measured on a release.
func missing(m *bookdata.Manifest, release string) string {
	if !m.On(release) {
		return "since " + Release(m.Since) + ": " + plain(m.SinceWhy)
	}
	return "not measured on " + Release(release)
}
