package bookdata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"onthestack/internal/safefile"
)

// The length of a line up to which an object or an array of a stored file is one line. Most records are, such as the
// figures of a benchmark or a variable in a step, so that a diff shows which of them changed. In the history, a record
// is what a listing measures on successive releases.
const (
	lineLength    = 200
	historyLength = 500
)

// read reads the JSON in a file of the book's folder, which command writes.
func read(book fs.FS, name, command string, to any) error {
	text, err := fs.ReadFile(book, name)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w: run %q", name, err, command)
	}
	return nil
}

// write writes v as JSON into a file below dir, the book's folder.
func write(dir, name string, v any) error {
	return WriteJSON(filepath.Join(dir, filepath.FromSlash(name)), v)
}

// WriteJSON writes v as JSON, as WriteFile does. Records that fit have a line each.
func WriteJSON(name string, v any) error { return writeLines(name, v, lineLength) }

// writeLines is WriteJSON for lines of a given length.
func writeLines(name string, v any, length int) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	return WriteFile(name, fold(text, length))
}

// WriteFile writes a file and the folders around it, unless the file has the text already: mdbook serve watches the
// files.
func WriteFile(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return safefile.Write(name, text, 0o644)
}

// marshal returns v as JSON on one line.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// encode is marshal for a value that can be encoded. It panics otherwise.
func encode(v any) []byte {
	text, err := marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// fold returns JSON with a line for each value that fits into a length, and indents what is inside others.
func fold(text []byte, length int) []byte {
	var b bytes.Buffer
	foldValue(&b, text, length, "", 0)
	b.WriteByte('\n')
	return b.Bytes()
}

// foldValue appends a value that begins in a column of a line with an indentation.
func foldValue(b *bytes.Buffer, value []byte, length int, indent string, column int) {
	object := value[0] == '{'
	// After the value, there may be a comma.
	if !object && value[0] != '[' || column+utf8.RuneCount(value) < length {
		b.Write(value)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	token := func() json.Token {
		t, err := dec.Token()
		if err != nil {
			panic(err) // marshal wrote the text
		}
		return t
	}
	fmt.Fprint(b, token())
	inside := indent + " "
	for i := 0; dec.More(); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + inside)
		column := len(inside)
		if object {
			key := encode(token())
			fmt.Fprintf(b, "%s:", key)
			column += utf8.RuneCount(key) + len(":")
		}
		var member json.RawMessage
		if err := dec.Decode(&member); err != nil {
			panic(err)
		}
		foldValue(b, member, length, inside, column)
	}
	fmt.Fprintf(b, "\n%s%s", indent, token())
}
