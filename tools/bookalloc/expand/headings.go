package expand

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Title returns the text of the first heading, "" where there is none.
func (d *Document) Title() string {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			return headingText(heading, []byte(d.text))
		}
	}
	return ""
}

func headingText(n ast.Node, source []byte) string {
	var b strings.Builder
	walk(n, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		}
	})
	return b.String()
}
