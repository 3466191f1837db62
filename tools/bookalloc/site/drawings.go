package site

import (
	"path"
	"regexp"

	"onthestack/tools/bookalloc/expand"
)

// A Drawing is a drawing of the book.
type Drawing struct {
	Name    string `json:"name"`    // its file in the book's folder
	Chapter string `json:"chapter"` // the chapter's folder
	Book    string `json:"book"`    // where the book shows it
	Page    string `json:"page"`    // the title of that page
	Block   string `json:"block"`   // HTML of the figure
}

var drawn = regexp.MustCompile(`(?m)^[ \t]*(\{\{#drawing (\S+) .*\}\})$`)

// drawings returns the book's drawings, in the order of its pages.
func drawings(book *expand.Book) ([]Drawing, error) {
	var all []Drawing
	var blocks []expand.Page
	for _, p := range book.Pages {
		for _, m := range drawn.FindAllStringSubmatch(p.Text, -1) {
			all = append(all, Drawing{Name: m[2], Chapter: path.Dir(m[2]), Book: href(p.Path),
				Page: expand.Parse(p.Text).Title()})
			blocks = append(blocks, expand.Page{Path: p.Path, Text: m[1] + "\n"})
		}
	}
	expanded, err := book.Aside(blocks)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Block = expanded[i]
	}
	return all, nil
}
