package compilelink

import (
	"bytes"
	"fmt"

	"onthestack/internal/harness"
)

// A Package is one that is compiled: its import path, and the name by which the tools know its archive.
type Package struct{ Path, Archive string }

// Archives are the compiled packages that a build finds: those of the standard library and of the harness. The zero value has
// none, and nothing is built with it.
type Archives struct {
	// ImportConfig is the name by which the tools know the file with the archives' Text. Who makes the Archives writes it.
	ImportConfig string

	text    []byte
	listed  map[string]bool   // the import paths of all
	public  map[string]bool   // by import path of the standard library: whether a program may import it
	harness map[string][]byte // the sources of the harness's packages, as in execution.Source
	godebug string
}

// NewArchives returns the archives of packages. Programs may import those that public names, as far as there is an archive;
// "unsafe" needs none. What godebug says is what a module of the language of Oldest has as its defaults.
func NewArchives(packages []Package, godebug string, public []string) (*Archives, error) {
	sources, err := harnessSources()
	if err != nil {
		return nil, err
	}
	a := &Archives{listed: map[string]bool{}, public: map[string]bool{}, harness: sources, godebug: godebug}
	var text bytes.Buffer
	for _, p := range packages {
		fmt.Fprintf(&text, "packagefile %s=%s\n", p.Path, p.Archive)
		a.listed[p.Path] = true
	}
	a.text = text.Bytes()
	for _, path := range public {
		a.public[path] = a.listed[path] || path == "unsafe" // the compiler has that one in itself
	}
	return a, nil
}

// Text is the text of a file that names the archive of each package, as the compiler and the linker read it.
func (a *Archives) Text() []byte { return a.text }

// Public reports whether a program may import the package.
func (a *Archives) Public(path string) bool { return a.public[path] }

// harnessSources are the sources of the harness's packages: without the main package of any check.
func harnessSources() (map[string][]byte, error) {
	sources, err := harness.Files("checked", "checked", nil, nil)
	delete(sources, "checked/"+harness.MainFile)
	return sources, err
}
