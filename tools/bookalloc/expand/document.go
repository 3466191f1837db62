package expand

import (
	"errors"
	"fmt"
	"regexp"
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

// lineAt returns the line of a byte of the text.
func (d *Document) lineAt(at int) int { return 1 + strings.Count(d.text[:at], "\n") }

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

var (
	quotation = regexp.MustCompile(`^"((?:\\.|[^"\\])*)"`)
	unquote   = strings.NewReplacer(`\\`, `\`, `\"`, `"`)
)

// arguments splits the inside of a directive, up to the closing braces, which begin at end.
func arguments(inside string) (end int, args []string, err error) {
	for rest := inside; ; {
		rest = strings.TrimLeft(rest, " \t\r")
		switch {
		case rest == "":
			return 0, nil, errors.New("the directive does not end on its line: close it with \"}}\"")
		case strings.HasPrefix(rest, closing):
			return len(inside) - len(rest), args, nil
		case rest[0] == '"':
			found := quotation.FindStringSubmatch(rest)
			if found == nil {
				return 0, nil, errors.New("the quotation does not end on its line: close it with a quotation mark")
			}
			args = append(args, unquote.Replace(found[1]))
			rest = rest[len(found[0]):]
		default:
			word, _, _ := strings.Cut(rest, closing)
			if n := strings.IndexAny(word, " \t\r"); n >= 0 {
				word = word[:n]
			}
			args = append(args, word)
			rest = rest[len(word):]
		}
	}
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

var detailsTag = regexp.MustCompile(`<(/?)details\b`)

// checkDetails returns an error for each <details> element that is not closed and each end tag without an element. An
// element that is not closed hides the rest of its page. In this book, no such element is inside another.
func (d *Document) checkDetails(name string) (problems []error) {
	open := 0 // the line of the element's beginning, 0 if there is none
	begin := func(line int) {
		if open > 0 {
			problems = append(problems, fmt.Errorf("%s:%d: <details> is not closed: add </details> after its text", name,
				open))
		}
		open = line
	}
	for _, m := range detailsTag.FindAllStringSubmatchIndex(d.text, -1) {
		line := d.lineAt(m[0])
		switch isEnd := m[2] < m[3]; {
		case d.code.contain(m[0]):
		case !isEnd:
			begin(line)
		case open == 0:
			problems = append(problems, fmt.Errorf("%s:%d: </details> ends nothing: remove it", name, line))
		default:
			open = 0
		}
	}
	begin(0)
	return problems
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
