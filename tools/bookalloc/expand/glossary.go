package expand

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// GlossaryFile is the page that explains the book's terms, in a list of definitions.
const GlossaryFile = "glossary.md"

// A term is an entry of the glossary.
type term struct {
	anchor string         // that mdBook gives the entry
	use    *regexp.Regexp // one of the entry's words, singular or plural
}

// linkTerms returns the Markdown of the pages, in which each term of the glossary links to it at its first use in the
// book's prose. A book may have no glossary.
func (b *Book) linkTerms() []string {
	var terms []term
	for i, p := range b.Pages {
		if p.Path == GlossaryFile {
			terms = b.parse()[i].terms()
		}
	}
	linked := make([]string, len(b.Pages))
	for i, p := range b.Pages {
		linked[i] = p.Text
		if p.Path != GlossaryFile {
			linked[i], terms = b.parse()[i].linkFirst(terms, relative(p.Path, GlossaryFile))
		}
	}
	return linked
}

// terms returns the entries of the glossary, the longest first: a "tiny object" is not a use of "object".
func (d *Document) terms() (terms []term) {
	names := map[string]string{} // by anchor
	walk(d.root, func(n ast.Node) {
		if n, ok := n.(*extast.DefinitionTerm); ok {
			name := headingText(n, []byte(d.text))
			names[entryAnchor(name)] = name
		}
	})
	for anchor, name := range names {
		var words []string
		for word := range strings.SplitSeq(name, ",") {
			quoted := regexp.QuoteMeta(strings.TrimSpace(word))
			words = append(words, strings.ReplaceAll(quoted, " ", `\s+`))
		}
		terms = append(terms, term{anchor, regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)(?:e?s)?\b`)})
	}
	slices.SortFunc(terms, func(a, b term) int {
		return cmp.Or(len(names[b.anchor])-len(names[a.anchor]), strings.Compare(a.anchor, b.anchor))
	})
	return terms
}

// entryAnchor returns the anchor that mdBook gives an entry of a list of definitions.
func entryAnchor(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', r == '-':
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// linkFirst returns the text with a link to the glossary, href, at the first use of each term, and the terms that the
// text does not use.
func (d *Document) linkFirst(terms []term, href string) (text string, unused []term) {
	type link struct {
		begin, end int
		anchor     string
	}
	var links []link
	prose := d.prose()
	for _, t := range terms {
		at := t.use.FindIndex(prose)
		if at == nil {
			unused = append(unused, t)
			continue
		}
		clear(prose[at[0]:at[1]]) // what is linked has no other link in it
		links = append(links, link{at[0], at[1], t.anchor})
	}
	slices.SortFunc(links, func(a, b link) int { return a.begin - b.begin })
	var out strings.Builder
	rest := 0
	for _, l := range links {
		out.WriteString(d.text[rest:l.begin] + "[" + d.text[l.begin:l.end] + "](" + href + "#" + l.anchor + ")")
		rest = l.end
	}
	return out.String() + d.text[rest:], unused
}

var (
	directiveText = regexp.MustCompile(`\{\{#(?:"(?:\\.|[^"\\\n])*"|[^"}\n])*\}\}`)
	linkTag       = regexp.MustCompile(`^<(/?)a\b`)
)

// prose returns the text with zeros in place of everything but the prose: of headings, tables, code, links, directives
// and folded answers.
func (d *Document) prose() []byte {
	prose := make([]byte, len(d.text))
	folded, linked := false, false
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading, *ast.CodeSpan, *ast.Link, *ast.AutoLink, *ast.Image, *extast.Table:
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			for _, tag := range detailsTag.FindAllSubmatch(n.Lines().Value([]byte(d.text)), -1) {
				folded = len(tag[1]) == 0
			}
		case *ast.RawHTML:
			if tag := linkTag.FindSubmatch(n.Segments.Value([]byte(d.text))); tag != nil {
				linked = len(tag[1]) == 0
			}
		case *ast.Text:
			if folded || linked {
				break
			}
			end := n.Segment.Stop
			if n.SoftLineBreak() { // a term may be on two lines
				end = len(d.text) - len(strings.TrimLeft(d.text[end:], " \t\r\n"))
			}
			copy(prose[n.Segment.Start:end], d.text[n.Segment.Start:end])
		}
		return ast.WalkContinue, nil
	})
	for _, at := range directiveText.FindAllStringIndex(d.text, -1) {
		clear(prose[at[0]:at[1]])
	}
	return prose
}
