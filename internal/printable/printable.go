// Package printable makes text from untrusted sources, such as source code, file names and the output of programs, safe
// to print. Such text could otherwise control a terminal, reorder or hide the text around it, or contain commands for
// the system that reads the log of a workflow.
//
// Those commands are lines that begin with "::" (GitHub Actions, actions/runner, ActionCommand.cs) and "##[" or
// "##name[" anywhere in a line (GitHub Actions, Azure Pipelines, TeamCity). A blank inside such a mark turns it into
// plain text.
//
// A StatusLine shows how far a command is.
package printable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Clean returns text without characters that control a terminal or are invisible in a page. Tabs and line feeds remain.
// A control character becomes U+FFFD, a carriage return at the end of a line is removed, and an invisible formatting
// character becomes its code point, as ⟨U+202E⟩. Bytes that are not UTF-8 become U+FFFD.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if r == '\r' && (i+1 == len(text) || text[i+1] == '\n') {
			continue
		}
		b.WriteString(form(r))
	}
	return b.String()
}

// Text is Clean for text that is printed to a log: it also breaks the marks of commands. It assumes that text begins a
// line of output.
func Text(text string) string {
	text = Clean(text)
	if !marked(text) {
		return text
	}
	var b strings.Builder
	var l line
	l.write(&b, text)
	return b.String()
}

// plain reports whether Clean changes nothing: most text is ASCII without control characters.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' || c >= 0x7f {
			return false
		}
	}
	return true
}

// marked reports whether text may have the mark of a command.
func marked(text string) bool { return strings.Contains(text, "::") || strings.Contains(text, "##") }

// Inline is Clean on one line, with single blanks.
func Inline(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// unseen reports whether a character may not be in text at all, or is an invisible formatting character.
func unseen(r rune) bool { return control(r) || format(r) }

func control(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\u0085' || r&0xfffe == 0xfffe ||
		r >= 0xfdd0 && r <= 0xfdef
}

func format(r rune) bool {
	return unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == '\u0085'
}

// form returns how a character is printed.
func form(r rune) string {
	switch {
	case control(r):
		return string(utf8.RuneError)
	case format(r):
		return fmt.Sprintf("⟨U+%04X⟩", r)
	}
	return string(r) // U+FFFD for bytes that are not UTF-8
}

// A line is the state of a line of output that decides whether the next character completes the mark of a command.
type line struct {
	begun  bool // it has more than blanks and one colon
	colons int  // at its beginning
	hashes int  // at its end, up to 2; then letters may follow
	name   bool // letters have followed
}

// write writes printable text, and inserts a blank before each character that would complete a mark.
func (l *line) write(b *strings.Builder, text string) {
	for _, r := range text {
		if l.completes(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
}

// completes adds a character to the line, and reports whether it completes a mark.
func (l *line) completes(r rune) (yes bool) {
	switch {
	case r == '\n':
		*l = line{}
		return false
	case r == ':' && !l.begun:
		if l.colons++; l.colons == 2 {
			l.begun, yes = true, true
		}
	case !unicode.IsSpace(r):
		l.begun = true
	case l.colons > 0:
		l.begun = true
	}
	switch {
	case r == '[' && l.hashes == 2:
		l.hashes, l.name, yes = 0, false, true
	case r == '#' && !l.name:
		l.hashes = min(l.hashes+1, 2)
	case r == '#':
		l.hashes, l.name = 1, false
	case l.hashes == 2 && unicode.IsLetter(r):
		l.name = true
	default:
		l.hashes, l.name = 0, false
	}
	return yes
}

// A Writer writes the lines of a report in the form of Text, so that no layout can move the mark of a command to the
// beginning of a line. Sequences that only set the color or weight of text (SGR, ECMA-48 8.3.117) are kept. It is not
// safe for concurrent use.
type Writer struct {
	to   io.Writer
	line line
	begun
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write implements io.Writer. A character that is split between two calls is written in the second.
func (w *Writer) Write(p []byte) (int, error) {
	text := w.whole(p)
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := color(text[i:]); n > 0 {
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if i += n; r == '\r' && (i == len(text) || text[i] == '\n') {
			continue
		}
		w.line.write(&b, form(r))
	}
	if _, err := io.WriteString(w.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// begun is the first bytes of a character whose other bytes come with the next call of Write.
type begun []byte

// whole returns these bytes and p as text, up to the last complete character.
func (b *begun) whole(p []byte) string {
	text := append(*b, p...)
	*b = nil
	for i := max(0, len(text)-utf8.UTFMax); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			*b = bytes.Clone(text[i:])
			text = text[:i]
		}
	}
	return string(text)
}

// color returns the length in bytes of the sequence at the beginning of text that sets a color, 0 if there is none.
func color(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	n := 2
	for n < len(text) && strings.IndexByte("0123456789;:", text[n]) >= 0 {
		n++
	}
	if n == len(text) || text[n] != 'm' {
		return 0
	}
	return n + 1
}

// JSON returns a Writer of JSON to w. It escapes the characters that Text does not allow, which in JSON can only be in
// strings, so the values remain the same.
func JSON(w io.Writer) io.Writer { return &jsonWriter{to: w} }

type jsonWriter struct {
	to   io.Writer
	line line
	begun
}

func (w *jsonWriter) Write(p []byte) (int, error) {
	text := w.whole(p)
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1: // the caller's own mistake: json.Marshal writes UTF-8
			b.WriteByte(text[i])
		case w.line.completes(r) && r == '[' || unseen(r) && r >= 0x7f:
			units := []rune{r}
			if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
				units = []rune{high, low}
			}
			for _, unit := range units {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	if _, err := io.WriteString(w.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
