package expand

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// A Passage is a paragraph, a heading or a cell of a table, as it is written: with its links, code spans and
// directives, but with one blank for each line break and the blanks beside it.
type Passage struct {
	Text  string
	Row   []int  // the passages in the same row of a table's body; nil elsewhere
	Under string // the head of the column of a table's body; "" elsewhere
	lines []int  // the line of each byte of Text, from 1
}

// LineOf returns the line of the byte of Text at that index.
func (p Passage) LineOf(index int) int { return p.lines[index] }

// Passages returns what a page says outside of code blocks and raw HTML.
func (d *Document) Passages() []Passage {
	var all []Passage
	add := func(n ast.Node) {
		if p := d.passage(n); p.Text != "" {
			all = append(all, p)
		}
	}
	walk(d.root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			add(n)
		case *extast.Table:
			all = append(all, d.table(n, len(all))...)
		}
	})
	return all
}

// table returns the cells of a table, the first of which will have the index start.
func (d *Document) table(table ast.Node, start int) []Passage {
	var all []Passage
	var heads []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		_, isHead := row.(*extast.TableHeader)
		var indices []int
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			p := d.passage(cell)
			if isHead {
				heads = append(heads, p.Text)
			} else if column < len(heads) {
				p.Under = heads[column]
			}
			indices = append(indices, start+len(all))
			all = append(all, p)
			column++
		}
		if !isHead {
			for _, i := range indices {
				all[i-start].Row = indices
			}
		}
	}
	return all
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
