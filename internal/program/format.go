package program

import (
	"fmt"
	"go/format"
	"path"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/imports"
)

// Format formats each Go file and each go.mod of a program and, with fixImports, completes the imports. The error, for the
// sender, is where a file does not parse: "prog.go:3:1: …".
//
// The time that go/format takes grows with the cube of how deep a source nests, so a stranger's is formatted in a process of
// its own.
func Format(body []byte, fixImports bool) ([]byte, error) {
	f, err := Split(body)
	if err != nil {
		return nil, err
	}
	for _, name := range f.names {
		formatted, err := formatFile(name, f.text[name], fixImports)
		if err != nil {
			return nil, err
		}
		f.text[name] = formatted
	}
	return f.Join(), nil
}

func formatFile(name string, text []byte, fixImports bool) ([]byte, error) {
	switch {
	case path.Ext(name) == ".go" && fixImports:
		return imports.Process(name, text, nil)
	case path.Ext(name) == ".go":
		formatted, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		return formatted, nil
	case path.Base(name) == "go.mod":
		mod, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, err
		}
		return mod.Format()
	}
	return text, nil
}
