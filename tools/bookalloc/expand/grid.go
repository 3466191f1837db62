package expand

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"path"
	"slices"

	"onthestack/internal/bookdata"
)

// grid shows the figures of the named listings on each release. Without names it shows all listings of the book, by
// chapter.
func (x *expander) grid(args []string) (string, error) {
	if len(args) > 0 {
		listings, h, err := x.rows(args)
		if err != nil {
			return "", err
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
