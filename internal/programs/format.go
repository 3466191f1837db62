package programs

import (
	"fmt"
	"go/format"
	"path"

	"golang.org/x/mod/modfile"
)

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
