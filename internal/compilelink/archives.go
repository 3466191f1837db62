package compilelink

import (
	"bytes"
	"fmt"

	"onthestack/internal/harness"
)

// A Package is a compiled package: its import path, and the name of its archive for the compiler and the linker.
type Package struct{ Path, Archive string }

// Archives are the compiled packages that a build may use: packages of the standard library and of the harness. With
// the zero value no plan is ok.
type Archives struct {
	// ImportConfig is the name of the file with the archives' Text for the compiler and the linker. The caller of
	// List.Archives writes that file and sets the name.
	ImportConfig string

	text    []byte
	listed  map[string]bool   // the import paths of all, and "unsafe", which is part of the compiler
	public  map[string]bool   // whether a program may import the package, by import path of the standard library
	harness map[string][]byte // the sources of the harness's packages, as in execution.Source
	godebug string            // the default GODEBUG settings of a module of the language of Oldest
}

// Archives returns the archives of the packages. Programs may import the packages that public names and that have an
// archive; "unsafe" needs none.
func (l List) Archives(public []string) (*Archives, error) {
	sources, err := harnessSources()
	if err != nil {
		return nil, err
	}
	a := &Archives{listed: map[string]bool{"unsafe": true}, public: map[string]bool{},
		harness: sources, godebug: l.GODEBUG}
	var text bytes.Buffer
	for _, p := range l.Packages {
		fmt.Fprintf(&text, "packagefile %s=%s\n", p.Path, p.Archive)
		a.listed[p.Path] = true
	}
	a.text = text.Bytes()
	for _, path := range public {
		a.public[path] = a.listed[path]
	}
	return a, nil
}

// Text returns the import configuration: the file in which the compiler and the linker find the archive of each
// package.
func (a *Archives) Text() []byte { return a.text }

// Public reports whether a program may import the package.
func (a *Archives) Public(path string) bool { return a.public[path] }

// harnessSources returns the sources of the harness's packages, without a check's main package.
func harnessSources() (map[string][]byte, error) {
	sources, err := harness.Files("checked", "checked", nil, nil)
	delete(sources, "checked/"+harness.MainFile)
	return sources, err
}
