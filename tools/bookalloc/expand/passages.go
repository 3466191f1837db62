package expand

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// A Passage is a paragraph, a heading or a row of a table, as it is written: with its links, code spans and directives,
// but with one blank for each line break and the blanks beside it.
type Passage struct {
	Text  string
	Since []string // the releases in a row's column "since"
	lines []int    // the line of each byte of Text, from 1
}

// LineOf returns the line of the byte of Text at that index.
func (p Passage) LineOf(index int) int { return p.lines[index] }

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
		if p.lines == nil && len(c.lines) > 0 {
			p.lines = c.lines[:1]
		}
	}
	p.lines = slices.Repeat(p.lines, len(p.Text)) // a row is on one line
	return p
}

// passage returns the text of a block.
func (d *Document) passage(n ast.Node) Passage {
	var p Passage
	var text strings.Builder
	blank := true // as at the beginning
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		line := 1 + strings.Count(d.text[:segment.Start], "\n")
		for at := segment.Start; at < segment.Stop; at++ {
			c := d.text[at]
			if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				if blank {
					continue
				}
				c = ' '
			}
			blank = c == ' '
			text.WriteByte(c)
			p.lines = append(p.lines, line)
		}
		if !blank {
			blank = true
			text.WriteByte(' ')
			p.lines = append(p.lines, line)
		}
	}
	p.Text = strings.TrimRight(text.String(), " ")
	return p
}
