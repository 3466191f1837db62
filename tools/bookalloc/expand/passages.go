package expand

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// A Passage is a paragraph, a heading or a row of a table, as it is written: with its links, code spans and directives,
// but with one blank for each line break and the blanks beside it.
type Passage struct {
	Text  string
	Since []string // the releases in a row's column "since"
	line  int      // of its beginning, from 1
	raw   string   // Text, with its line breaks
}

// LineOf returns the line of the byte of Text at that index.
func (p Passage) LineOf(index int) int { return p.line + strings.Count(p.raw[:index], "\n") }

// Passages returns what a page says outside of code blocks and raw HTML.
func (d *Document) Passages() []Passage {
	var all []Passage
	add := func(p Passage) {
		if p.Text != "" {
			all = append(all, p)
		}
	}
	walk(d.root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			add(d.passage(n))
		case *extast.Table:
			since := -1 // the column of that name
			for row := n.FirstChild(); row != nil; row = row.NextSibling() {
				add(d.row(row, &since))
			}
		}
	})
	return all
}

// row returns the cells of a table's row, with " | " between them. since is set to the column that the head names so.
func (d *Document) row(row ast.Node, since *int) (p Passage) {
	_, isHead := row.(*extast.TableHeader)
	for cell, column := row.FirstChild(), 0; cell != nil; cell, column = cell.NextSibling(), column+1 {
		c := d.passage(cell)
		if isHead && c.Text == "since" {
			*since = column
		} else if column == *since {
			p.Since = release.FindAllString(c.Text, -1)
		}
		if column > 0 {
			p.Text += " | "
		}
		p.Text += c.Text
		p.line = max(p.line, c.line) // a row is on one line
	}
	p.raw = p.Text
	return p
}

var (
	blanks     = regexp.MustCompile(`[ \t\r]+`)
	lineBreaks = regexp.MustCompile(`[ \t\r]*\n[ \t\r\n]*`)
)

// passage returns the text of a block.
func (d *Document) passage(n ast.Node) (p Passage) {
	if n.Lines().Len() == 0 {
		return p
	}
	p.line = d.lineAt(n.Lines().At(0).Start)
	text := blanks.ReplaceAllString(string(n.Lines().Value([]byte(d.text))), " ")
	p.raw = strings.TrimSpace(lineBreaks.ReplaceAllString(text, "\n"))
	p.Text = strings.ReplaceAll(p.raw, "\n", " ")
	return p
}
