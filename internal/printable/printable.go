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
	"regexp"
	"slices"
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
	var b strings.Builder
	new(line).write(&b, Clean(text))
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

// Inline is Clean on one line, with single blanks.
func Inline(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// control reports whether a character may not be in text at all.
func control(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\u0085' || r&0xfffe == 0xfffe ||
		r >= 0xfdd0 && r <= 0xfdef
}

// format reports whether a character formats the text and is invisible.
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

// A Writer writes text in pieces, in a form that depends on what was written before. It is not safe for concurrent use.
type Writer struct {
	to    io.Writer
	json  bool
	line  line
	begun []byte // of a character whose other bytes come with the next call of Write
}

// NewWriter returns a Writer of the lines of a report to w. It writes them in the form of Text, so that no layout can
// move the mark of a command to the beginning of a line. Sequences that only set the color or weight of text (SGR,
// ECMA-48 8.3.117) are kept.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// JSON returns a Writer of JSON to w. It escapes the characters that Text does not allow, which in JSON can only be in
// strings, so the values remain the same.
func JSON(w io.Writer) *Writer { return &Writer{to: w, json: true} }

// maxPiece bounds how much JSON is escaped at a time, in bytes. A verdict may have 100 MB, which would be copied thrice.
const maxPiece = 64 << 10

// Write implements io.Writer. A character that is split between two calls is written in the second.
func (w *Writer) Write(p []byte) (int, error) {
	if w.json && len(p) > maxPiece {
		for piece := range slices.Chunk(p, maxPiece) {
			if _, err := w.Write(piece); err != nil {
				return 0, err
			}
		}
		return len(p), nil
	}
	text := append(w.begun, p...)
	w.begun = nil
	for i := max(0, len(text)-utf8.UTFMax); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			w.begun = bytes.Clone(text[i:])
			text = text[:i]
		}
	}
	var b strings.Builder
	for rest := string(text); rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case w.json:
			w.line.writeJSON(&b, r, rest[:n])
		case r == '\x1b' && color.MatchString(rest):
			n = len(color.FindString(rest))
			b.WriteString(rest[:n])
		case r != '\r' || n < len(rest) && rest[n] != '\n':
			w.line.write(&b, form(r))
		}
		rest = rest[n:]
	}
	if _, err := io.WriteString(w.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// color matches a sequence that sets a color, at the beginning of text.
var color = regexp.MustCompile("^\x1b\\[[0-9;:]*m")

// writeJSON writes a character of JSON, escaped if it cannot be printed or would complete a mark.
func (l *line) writeJSON(b *strings.Builder, r rune, raw string) {
	if l.completes(r) && r == '[' || r >= 0x7f && (control(r) || format(r)) {
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(b, `\u%04x`, unit)
		}
		return
	}
	b.WriteString(raw) // also a byte that is not UTF-8, the caller's own mistake: json.Marshal writes UTF-8
}
