package expand

import (
	"errors"
	"fmt"
	"path"

	"onthestack/internal/bookdata"
)

// BookURL is the folder of the book's pages on the site. Hugo makes links to it relative to each page.
const BookURL = "/book/"

// Aside expands pages outside the book, such as the site's; Path names them in messages. They use the book's
// directives. Measurements of today that they show must be shown on a page of the book as well. The error joins the
// errors of all directives.
func (b *Book) Aside(pages []Page) ([]string, error) {
	x := newExpander(b)
	x.outside = true
	var problems []error
	x.places, problems = b.exercises()
	expanded := make([]string, len(pages))
	for i, p := range pages {
		x.page = p.Path
		text, err := Parse(p.Text).Expand(p.Path, x.directive)
		problems = append(problems, err)
		expanded[i] = text
	}
	return expanded, errors.Join(problems...)
}

// Listed returns the listings that have a history, in the order in which the book shows them, together with the
// history.
func (b *Book) Listed() ([]Listed, *bookdata.History, error) {
	names, err := bookdata.FindListings(b.Files)
	if err != nil {
		return nil, nil, err
	}
	return newExpander(b).rows(b.byPlace(names))
}

// A Chapter is a chapter of the book.
type Chapter struct {
	Folder, Title string
}

// Chapters returns the chapters in the book's order.
func (b *Book) Chapters() []Chapter {
	var all []Chapter
	for i, p := range b.Pages {
		if dir, name := path.Split(p.Path); name == "README.md" && dir != "" {
			all = append(all, Chapter{path.Clean(dir), b.parse()[i].Title()})
		}
	}
	return all
}

// ExercisePage returns the page of the book that shows an exercise.
func (b *Book) ExercisePage(id string) (string, error) {
	places, _ := b.exercises()
	if places[id] == "" {
		return "", fmt.Errorf("no page of the book shows %s: put {{#exercise %s}} on one", id, id)
	}
	return places[id], nil
}
