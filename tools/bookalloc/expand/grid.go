package expand

import (
	"errors"
	"fmt"
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
		return gridHTML(h, []gridChapter{{Listings: listings}}), nil
	}
	names, err := x.benchmarked()
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("no listing has a benchmark")
	}
	byFolder := map[string][]string{}
	for _, name := range x.book.byPlace(names) {
		byFolder[chapterOf(name)] = append(byFolder[chapterOf(name)], name)
	}
	var chapters []gridChapter
	var h *bookdata.History
	var problems []error
	for _, c := range x.book.Chapters() {
		names := byFolder[c.Folder]
		if delete(byFolder, c.Folder); names == nil {
			continue
		}
		home := path.Join(c.Folder, "README.md")
		if c.Title == "" {
			problems = append(problems, fmt.Errorf("%s has no heading: begin it with the chapter's title", home))
		}
		listings, all, err := x.rows(names)
		problems = append(problems, err)
		h = all
		chapters = append(chapters, gridChapter{Title: c.Title, Href: x.href(home), Listings: listings})
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		problems = append(problems, fmt.Errorf("no page %s/README.md: write it, and add it to SUMMARY.md", folder))
	}
	if err := errors.Join(problems...); err != nil {
		return "", err
	}
	return gridHTML(h, chapters), nil
}

// rows returns the rows of a grid. The error joins the errors of all listings.
func (x *expander) rows(names []string) (rows []gridListing, h *bookdata.History, err error) {
	var problems []error
	for _, name := range names {
		var m *bookdata.Manifest
		if h, m, err = x.show(name); err != nil {
			problems = append(problems, err)
			continue
		}
		rows = append(rows, gridListing{Name: name, Manifest: m, Href: x.shownOn(name)})
	}
	return rows, h, errors.Join(problems...)
}

// shownOn returns a link to the page that shows a listing, or "" if that is the current page.
func (x *expander) shownOn(name string) string {
	p, ok := x.book.firstShown(name)
	if !ok {
		return ""
	}
	return x.href(p.page)
}
