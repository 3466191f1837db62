package playground

import (
	"fmt"
	"go/format"
	"path"

	"golang.org/x/mod/modfile"
)

// Format formats each Go file of a program, by goFile, and each go.mod. The error, for the sender, is where a file does not parse:
// "prog.go:3:1: …".
//
// The time that go/format takes grows with the cube of how deep a source nests, so a stranger's is formatted in a process of
// its own.
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

// FormatGo formats a Go file and leaves its imports as they are; a goFile of Format.
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

// A Formatted is what came of formatting a program, in the playground's shape.
type Formatted struct {
	Body  string
	Error string // where the program does not parse: "prog.go:3:1: …"
}
