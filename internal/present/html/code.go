package html

import (
	"bytes"
	"go/scanner"
	"go/token"
	"html"
	"html/template"
	"strings"

	"onthestack/internal/printable"
)

// maxColumns is the number of bytes of a line that are shown.
const maxColumns = 2000

// A span is a range of bytes of the source that has the class of a color.
type span struct {
	from, to int
	class    string
}

// spans returns the keywords, literals and comments of Go source in source order, up to where it can be scanned.
func spans(text []byte) []span {
	var found []span
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return found
		}
		class := ""
		switch {
		case tok.IsKeyword():
			class = "k"
		case tok == token.STRING || tok == token.CHAR:
			class = "s"
		case tok == token.COMMENT:
			class = "c"
		default:
			continue
		}
		from := file.Offset(pos)
		found = append(found, span{from, min(from+length(text[from:], tok, literal), len(text)), class})
	}
}

// length returns the length of a token in the source. The scanner removes carriage returns from the text of raw strings
// and comments.
func length(text []byte, tok token.Token, literal string) int {
	end := -1
	switch {
	case tok.IsKeyword():
		return len(tok.String())
	case strings.HasPrefix(literal, "`"):
		if end = bytes.IndexByte(text[1:], '`'); end >= 0 {
			return end + 2
		}
		return len(text)
	case strings.HasPrefix(literal, "/*"):
		if end = bytes.Index(text, []byte("*/")); end >= 0 {
			return end + 2
		}
		return len(text)
	case strings.HasPrefix(literal, "//"):
		if end = bytes.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	}
	return len(literal)
}

// code returns the lines of a file as escaped HTML. Go source is colored.
func code(name string, text []byte) []template.HTML {
	var marks []span
	if strings.HasSuffix(name, ".go") {
		marks = spans(text)
	}
	var lines []template.HTML
	start := 0
	for start < len(text) {
		end := len(text)
		if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		for len(marks) > 0 && marks[0].to <= start {
			marks = marks[1:]
		}
		lines = append(lines, colored(text, start, end, marks))
		start = end + 1
	}
	return lines
}

// colored escapes the line text[start:end] and colors it by the marks that overlap it.
func colored(text []byte, start, end int, marks []span) template.HTML {
	cut := false
	if end-start > maxColumns {
		end, cut = start+maxColumns, true
	}
	var b strings.Builder
	at := start
	for _, m := range marks {
		if m.from >= end {
			break
		}
		from, to := max(m.from, at), min(m.to, end)
		if from >= to {
			continue
		}
		b.WriteString(escaped(text[at:from]))
		b.WriteString(`<i class="` + m.class + `">` + escaped(text[from:to]) + `</i>`)
		at = to
	}
	b.WriteString(escaped(text[at:end]))
	if cut {
		b.WriteString("…")
	}
	return template.HTML(b.String())
}

// escaped escapes text for HTML. No other function outside of the template does.
func escaped(text []byte) string { return html.EscapeString(printable.Clean(string(text))) }
