package lsp

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"onthestack/internal/owncode/suggest"
)

// pathOf returns the file that a URI names.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || strings.ContainsRune(u.Path, 0) {
		return "", fmt.Errorf("%.200q is not the URI of a file", uri)
	}
	name := u.Path
	if runtime.GOOS == "windows" {
		name = strings.TrimPrefix(name, "/") // /C:/folder
		if u.Host != "" {
			name = "//" + u.Host + "/" + name
		} else if len(name) > 1 && name[1] == ':' {
			name = strings.ToUpper(name[:1]) + name[1:] // some clients write the drive in lower case
		}
	}
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		return "", fmt.Errorf("%.200q is not the URI of a file", uri)
	}
	return filepath.Clean(name), nil
}

// uriOf returns the URI of a file.
func uriOf(file string) string {
	name := filepath.ToSlash(file)
	if !path.IsAbs(name) {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// splitLines returns the lines of a text, each with its end.
func splitLines(text []byte) [][]byte {
	return bytes.SplitAfter(text, []byte("\n"))
}

// utf16Column returns the column, in UTF-16 code units, of a byte in a line.
func utf16Column(line []byte, offset int) (column int) {
	for i, r := range string(line) {
		if i >= offset {
			break
		}
		column += max(1, utf16.RuneLen(r))
	}
	return column
}

// endOf returns the position after the last character of a line, from 0.
func endOf(lines [][]byte, line int) position {
	if line >= len(lines) {
		return position{Line: line}
	}
	text := bytes.TrimRight(lines[line], "\r\n")
	return position{line, utf16Column(text, len(text))}
}

// contentOf returns the span of a line, from 0, without its indentation, from a column in bytes if that is not 0.
func contentOf(lines [][]byte, line, col int) span {
	if line < 0 || line >= len(lines) {
		return span{position{Line: max(0, line)}, position{Line: max(0, line)}}
	}
	text := bytes.TrimRight(lines[line], "\r\n")
	from := len(text) - len(bytes.TrimLeft(text, " \t"))
	if col > 0 && col <= len(text) {
		from = col - 1
	}
	return span{position{line, utf16Column(text, from)}, endOf(lines, line)}
}

// offsetOf returns the byte at a position. A position behind the end of its line is that end, as the protocol says.
func offsetOf(text []byte, p position) (int, error) {
	if p.Line < 0 || p.Character < 0 {
		return 0, fmt.Errorf("there is no position %d:%d", p.Line, p.Character)
	}
	start := 0
	for range p.Line {
		i := bytes.IndexByte(text[start:], '\n')
		if i < 0 {
			return len(text), nil
		}
		start += i + 1
	}
	column := 0
	for i := start; ; {
		if i == len(text) || text[i] == '\n' || text[i] == '\r' || column >= p.Character {
			return i, nil
		}
		r, size := utf8.DecodeRune(text[i:])
		column += max(1, utf16.RuneLen(r))
		i += size
	}
}

// apply returns a text with the changes of an editor, one after the other.
func apply(text []byte, changes []change) ([]byte, error) {
	for _, c := range changes {
		if c.Range == nil {
			text = []byte(c.Text)
			continue
		}
		from, err := offsetOf(text, c.Range.Start)
		to, err2 := offsetOf(text, c.Range.End)
		if err := errors.Join(err, err2); err != nil || from > to {
			return nil, fmt.Errorf("a change has no valid range: %w", err)
		}
		changed := make([]byte, 0, len(text)+len(c.Text))
		text = append(append(append(changed, text[:from]...), c.Text...), text[to:]...)
	}
	return text, nil
}

// lineAfter returns where a line of a text is after changes. A line that was changed is where its new text is; one that
// was deleted is nowhere, 0.
func lineAfter(changes []suggest.Change, line int) int {
	shift := 0
	for _, c := range changes {
		if line < c.Start {
			break
		}
		added := strings.Count(c.Text, "\n")
		if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
			added++
		}
		if line >= c.Start+added && line < c.End {
			return 0
		} else if line < c.End {
			break
		}
		shift += added - (c.End - c.Start)
	}
	return line + shift
}

// editsOf returns the edits that make one text of another.
func editsOf(old, new []byte) []textEdit {
	edits := []textEdit{}
	for _, c := range suggest.Changes("", old, new) {
		edits = append(edits, textEdit{span{position{Line: c.Start - 1}, position{Line: c.End - 1}}, c.Text})
	}
	return edits
}
