package html

import (
	"go/scanner"
	"go/token"
	"html"
	"html/template"
	"strings"

	"onthestack/internal/printable"
)

// maxColumns is the number of bytes of a line that are shown.
const maxColumns = 2000

// code returns the lines of a file as escaped HTML. Keywords, literals and comments of Go source are colored, up to
// where it can be scanned.
func code(name string, text []byte) []template.HTML {
	// The scanner removes carriage returns from a token's text. Here are none left, so each token has its length.
	source := printable.Clean(string(text))
	var c codeWriter
	at := 0 // what comes before is written
	if strings.HasSuffix(name, ".go") {
		file := token.NewFileSet().AddFile("", -1, len(source))
		var s scanner.Scanner
		s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
		for {
			pos, tok, literal := s.Scan()
			if tok == token.EOF {
				break
			}
			if class := tokenClass(tok); class != "" {
				from := file.Offset(pos)
				c.write(source[at:from], "")
				c.write(literal, class)
				at = from + len(literal)
			}
		}
	}
	c.write(source[at:], "")
	if c.column > 0 {
		c.endLine()
	}
	return c.lines
}

// tokenClass returns the class of a token's color, "" for none.
func tokenClass(tok token.Token) string {
	switch {
	case tok.IsKeyword():
		return "k"
	case tok == token.STRING || tok == token.CHAR:
		return "s"
	case tok == token.COMMENT:
		return "c"
	}
	return ""
}

// A codeWriter collects the lines of a file.
type codeWriter struct {
	lines  []template.HTML
	line   strings.Builder
	column int // bytes of the line's source
}

// write writes source of one class, which may have several lines.
func (c *codeWriter) write(source, class string) {
	for part := range strings.Lines(source) {
		text := strings.TrimSuffix(part, "\n")
		shown := escaped(text[:max(0, min(len(text), maxColumns-c.column))])
		if class != "" && shown != "" {
			shown = `<i class="` + class + `">` + shown + `</i>`
		}
		c.line.WriteString(shown)
		c.column += len(text)
		if text != part {
			c.endLine()
		}
	}
}

func (c *codeWriter) endLine() {
	if c.column > maxColumns {
		c.line.WriteString("…")
	}
	c.lines = append(c.lines, template.HTML(c.line.String()))
	c.line.Reset()
	c.column = 0
}

// escaped escapes text for HTML. No other function outside of the template does.
func escaped(text string) string { return html.EscapeString(printable.Clean(text)) }
