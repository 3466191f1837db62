package programs

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"
)

// File is the name of the file of a program without file headers, and of the text before the first header.
const File = "prog.go"

// The limits of an archive, the same as at play.golang.org.
const (
	maxFiles = 20
	maxName  = 200 // bytes
	maxDepth = 10  // elements of a path
)

// Files are the files of a program, in the order in which they were sent.
type Files struct {
	names []string
	text  map[string][]byte
	// implied is true if File was sent without a header.
	implied bool
}

// Split splits a program into its files at lines of the form "-- name --". The error is for the sender: a name does not
// name a file in the program's folder, or there are too many files.
func Split(body []byte) (*Files, error) {
	archive := txtar.Parse(body)
	f := &Files{text: map[string][]byte{}}
	if len(bytes.TrimSpace(archive.Comment)) > 0 {
		f.implied = true
		f.add(File, archive.Comment)
	}
	if n := len(f.names) + len(archive.Files); n > maxFiles {
		return nil, fmt.Errorf("too many files in txtar archive (%d exceeds limit of %d)", n, maxFiles)
	}
	for _, file := range archive.Files {
		if err := f.check(file.Name); err != nil {
			return nil, err
		}
		f.add(file.Name, file.Data)
	}
	return f, nil
}

func (f *Files) add(name string, text []byte) {
	f.names = append(f.names, name)
	f.text[name] = text
}

// check returns an error if the program cannot have another file of that name.
func (f *Files) check(name string) error {
	odd := func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }
	if len(name) > maxName {
		return errors.New("file name too long")
	}
	if !fs.ValidPath(name) || name == "." || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("invalid file name %q", name)
	}
	if strings.Count(name, "/") >= maxDepth {
		return fmt.Errorf("file name %q too deep", name)
	}
	for _, other := range f.names {
		switch {
		case name == other:
			return fmt.Errorf("duplicate file name %q", name)
		case strings.HasPrefix(name, other+"/"), strings.HasPrefix(other, name+"/"):
			return fmt.Errorf("%q is the name of a file and of a folder", min(name, other))
		}
	}
	return nil
}

// Join is the reverse of Split.
func (f *Files) Join() []byte {
	var archive txtar.Archive
	names := f.names
	if f.implied {
		archive.Comment, names = f.text[File], names[1:]
	}
	for _, name := range names {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: f.text[name]})
	}
	return txtar.Format(&archive)
}

// Format formats the Go files of a program with goFile, and its go.mod files. The error is for the sender, and begins
// with the position at which a file does not parse: "prog.go:3:1: …".
//
// The time of go/format grows with the cube of a source's nesting depth, so programs of strangers are formatted in a
// process of their own.
func Format(body []byte, goFile func(name string, text []byte) ([]byte, error)) ([]byte, error) {
	f, err := Split(body)
	if err != nil {
		return nil, err
	}
	for _, name := range f.names {
		formatted, err := formatFile(name, f.text[name], goFile)
		if err != nil {
			return nil, err
		}
		f.text[name] = formatted
	}
	return f.Join(), nil
}

// FormatGo is a goFile for Format. It formats a Go file and does not change its imports.
func FormatGo(name string, text []byte) ([]byte, error) {
	formatted, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return formatted, nil
}

func formatFile(name string, text []byte, goFile func(name string, text []byte) ([]byte, error)) ([]byte, error) {
	switch {
	case path.Ext(name) == ".go":
		return goFile(name, text)
	case path.Base(name) == "go.mod":
		mod, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, err
		}
		return mod.Format()
	}
	return text, nil
}
