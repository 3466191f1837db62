package expand

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// A Link is a link or an image of a page.
type Link struct {
	Destination string
	Line        int // from 1
}

// Links returns the links and images of a page's Markdown, without addresses in angle brackets.
func (d *Document) Links() []Link {
	var links []Link
	walk(d.root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, Link{string(n.Destination), lineOf(d.text, n)})
		case *ast.Image:
			links = append(links, Link{string(n.Destination), lineOf(d.text, n)})
		}
	})
	return links
}

// Title returns the text of the first heading, "" where there is none.
func (d *Document) Title() string {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			return headingText(heading, []byte(d.text))
		}
	}
	return ""
}

// Headings returns where the headings up to a level begin, in bytes, without those inside of lists and quotations.
func (d *Document) Headings(level int) []int {
	var all []int
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok && heading.Level <= level && n.Lines().Len() > 0 {
			all = append(all, 1+strings.LastIndexByte(d.text[:n.Lines().At(0).Start], '\n'))
		}
	}
	return all
}

// lineOf returns the line where n begins. An inline node may have no position; lineOf then returns the line of the
// nearest node that has one.
func lineOf(source string, n ast.Node) int {
	at := n.Pos()
	for p := n.Parent(); at < 0 && p != nil; p = p.Parent() {
		at = p.Pos()
	}
	return 1 + strings.Count(source[:min(max(at, 0), len(source))], "\n")
}

// idAttribute is an id in raw HTML.
var idAttribute = regexp.MustCompile(`(?i)\sid\s*=\s*["']([^"']+)["']`)

// IDs returns what can be linked to on the page that mdBook makes of expanded Markdown: headings and ids of raw HTML.
func (d *Document) IDs() map[string]bool {
	source := []byte(d.text)
	ids := map[string]bool{}
	taken := map[string]bool{}
	raw := func(html []byte) {
		for _, m := range idAttribute.FindAllSubmatch(html, -1) {
			ids[string(m[1])] = true
		}
	}
	walk(d.root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				ids[fmt.Sprintf("%s", id)] = true
				return
			}
			ids[unique(slug(headingText(n, source)), taken)] = true
		case *extast.DefinitionTerm:
			ids[unique(slug(headingText(n, source)), taken)] = true
		case *ast.HTMLBlock:
			raw(n.Lines().Value(source))
		case *ast.RawHTML:
			raw(n.Segments.Value(source))
		}
	})
	return ids
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

// slug makes an id of a heading's text the way mdBook does.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '_', r == '-':
			return r
		case unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(heading)))
}

// unique numbers an id that is taken, as mdBook does.
func unique(id string, taken map[string]bool) string {
	candidate := id
	for n := 1; taken[candidate]; n++ {
		candidate = fmt.Sprintf("%s-%d", id, n)
	}
	taken[candidate] = true
	return candidate
}

// readmeLink is a link or a link definition up to the name of a folder's README.
var readmeLink = regexp.MustCompile(`((?:\]\(\s*<?|\]:\s+<?)[^()<>\s:]*?)\bREADME\.md\b`)

// IndexLinks returns expanded Markdown with links to a README led to the index that mdBook's index preprocessor makes
// of it: mdBook itself would leave them dangling.
func (d *Document) IndexLinks() string {
	var out strings.Builder
	rest := 0
	for _, m := range readmeLink.FindAllStringSubmatchIndex(d.text, -1) {
		if end := m[3]; !d.code.contain(m[0]) {
			out.WriteString(d.text[rest:end] + "index.md")
			rest = m[1]
		}
	}
	return out.String() + d.text[rest:]
}
