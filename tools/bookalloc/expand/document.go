package expand

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A Directive is one directive of a page, {{#name argument …}} on one line. Arguments are separated by blanks; one that
// begins with a quotation mark runs to the next, with \" for a mark inside. Where a directive is meant as text, write
// \{{#. In code, be it a fence, an indented block or a span between backticks, nothing is a directive and the
// backslash stays.
type Directive struct {
	Name string
	Args []string
	Text string // as written, braces included
	Line int    // from 1
	// Alone is true where nothing but blanks stands beside it on its line; Indent are the blanks before it.
	Alone  bool
	Indent string
}

const (
	opening = "{{#"
	closing = "}}"
)

// markdown reads the dialect that mdBook reads.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote,
		extension.DefinitionList),
	goldmark.WithParserOptions(parser.WithAttribute()),
)

// A Document is a text that may hold directives.
type Document struct {
	text string
	root ast.Node // nil where the text is not Markdown
	code ranges
}

// Parse reads a page's Markdown.
func Parse(markdownText string) *Document {
	d := &Document{text: markdownText, root: markdown.Parser().Parse(text.NewReader([]byte(markdownText)))}
	d.code = codeRanges(d.root)
	return d
}

// Plain reads a text that is not Markdown: nothing in it is code.
func Plain(text string) *Document { return &Document{text: text} }

// Expand returns the text with every directive replaced by what expand returns for it. Its error joins all errors of
// expand, of directives that cannot be read and of <details> elements that are not closed, each preceded by
// "name:line: ".
func (d *Document) Expand(name string, expand func(Directive) (string, error)) (string, error) {
	var (
		source   = d.text
		out      strings.Builder
		problems []error
		rest     = 0 // source[:rest] is done
	)
	for at := 0; ; {
		i := strings.Index(source[at:], opening)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(opening)
		switch {
		case d.code.contain(start):
			continue
		case start > rest && source[start-1] == '\\':
			out.WriteString(source[rest : start-1])
			rest = start
			continue
		}
		found, length, err := read(source, start)
		if err == nil {
			var replacement string
			if replacement, err = expand(found); err == nil {
				out.WriteString(source[rest:start] + replacement)
				rest = start + length
				at = rest
				continue
			}
		}
		problems = append(problems, fmt.Errorf("%s:%d: %w", name, found.Line, err))
		at = start + max(length, len(opening))
	}
	out.WriteString(source[rest:])
	return out.String(), errors.Join(append(problems, d.checkDetails(name)...)...)
}

// read reads the directive that begins at start. Line is set even when there is an error.
func read(source string, start int) (Directive, int, error) {
	d := Directive{Line: 1 + strings.Count(source[:start], "\n")}
	lineStart := 1 + strings.LastIndexByte(source[:start], '\n')
	line, _, _ := strings.Cut(source[start:], "\n")
	inside := line[len(opening):]
	end, args, err := arguments(inside)
	if err != nil {
		return d, 0, fmt.Errorf("%s%.40s…: %w", opening, strings.TrimSpace(inside), err)
	}
	length := len(opening) + end + len(closing)
	d.Text = line[:length]
	if len(args) > 0 {
		d.Name, d.Args = args[0], args[1:]
	}
	before, after := source[lineStart:start], line[length:]
	d.Alone = strings.TrimSpace(before) == "" && strings.TrimSpace(after) == ""
	if d.Alone {
		d.Indent = before
	}
	return d, length, nil
}

// arguments splits the inside of a directive, up to the closing braces, which begin at end.
func arguments(inside string) (end int, args []string, err error) {
	for i := 0; ; {
		for i < len(inside) && (inside[i] == ' ' || inside[i] == '\t' || inside[i] == '\r') {
			i++
		}
		switch {
		case i == len(inside):
			return 0, nil, errors.New("the directive does not end on its line: close it with \"}}\"")
		case strings.HasPrefix(inside[i:], closing):
			return i, args, nil
		case inside[i] == '"':
			quoted, n := unquote(inside[i+1:])
			if n < 0 {
				return 0, nil, errors.New("the quotation does not end on its line: close it with a quotation mark")
			}
			args = append(args, quoted)
			i += 1 + n
		default:
			n := strings.IndexAny(inside[i:], " \t\r")
			if n < 0 {
				n = len(inside) - i
			}
			if j := strings.Index(inside[i:i+n], closing); j >= 0 {
				n = j
			}
			args = append(args, inside[i:i+n])
			i += n
		}
	}
}

// unquote reads up to the closing quotation mark; n is the length with it, -1 where there is none.
func unquote(s string) (text string, n int) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			return b.String(), i + 1
		default:
			b.WriteByte(s[i])
		}
	}
	return "", -1
}

type ranges []text.Segment

func (r ranges) contain(at int) bool {
	return slices.ContainsFunc(r, func(s text.Segment) bool { return s.Start <= at && at < s.Stop })
}

// codeRanges are the parts of a text that are code.
func codeRanges(root ast.Node) ranges {
	var code ranges
	walk(root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			code = append(code, n.Lines().Sliced(0, n.Lines().Len())...)
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					code = append(code, t.Segment)
				}
			}
		}
	})
	return code
}

func walk(n ast.Node, visit func(ast.Node)) {
	// The visitor returns no error, so Walk does not either.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}
