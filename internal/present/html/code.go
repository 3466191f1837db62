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

// maxColumns is how many characters of a line are shown.
const maxColumns = 2000

// A span is a stretch of source, in bytes, with the class that colours it.
type span struct {
	from, to int
	class    string
}

// spans finds keywords, literals and comments of Go source, in order, as far as it can be scanned.
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

// length is that of a token in the source: the scanner takes carriage returns out of raw strings and comments.
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

// code makes escaped HTML of each line of a file, Go's coloured.
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
		lines = append(lines, coloured(text, start, end, marks))
		start = end + 1
	}
	return lines
}

// coloured escapes text[start:end], a line, with the marks that reach into it.
func coloured(text []byte, start, end int, marks []span) template.HTML {
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

// escaped is the one place where text becomes HTML outside of the template.
func escaped(text []byte) string { return html.EscapeString(printable.Clean(string(text))) }
