package expand

import (
	"errors"
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
	for _, name := range names {
		byFolder[chapterOf(name)] = append(byFolder[chapterOf(name)], name)
	}
	type ordered struct {
		gridChapter
		order int
	}
	var chapters []ordered
	var h *bookdata.History
	var problems []error
	for folder, names := range byFolder {
		name, title, order, err := x.book.chapter(folder)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		c := ordered{gridChapter{Title: title, Href: x.href(name)}, order}
		if c.Listings, h, err = x.rows(x.book.byPlace(names)); err != nil {
			problems = append(problems, err)
		}
		chapters = append(chapters, c)
	}
	if err := errors.Join(problems...); err != nil {
		return "", err
	}
	slices.SortFunc(chapters, func(a, b ordered) int { return a.order - b.order })
	var inOrder []gridChapter
	for _, c := range chapters {
		inOrder = append(inOrder, c.gridChapter)
	}
	return gridHTML(h, inOrder), nil
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
