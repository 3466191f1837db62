package compilelink

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

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

// Trusted returns the files of a module that the go command compiles to make the archives: a program that imports all
// of imports, and the harness.
func Trusted(imports []string) (map[string][]byte, error) {
	files, err := harnessSources()
	if err != nil {
		return nil, err
	}
	var program bytes.Buffer
	program.WriteString("package main\n\n")
	for _, path := range imports {
		fmt.Fprintf(&program, "import _ %q\n", path)
	}
	program.WriteString("\nfunc main() {}\n")
	files["main.go"] = program.Bytes()
	files["go.mod"] = []byte(Module)
	return files, nil
}

const listSep = "\t"

// ListArguments returns the arguments with which the go command compiles the module of Trusted and lists its archives.
func ListArguments(flags ...string) []string {
	const format = "{{.ImportPath}}" + listSep + "{{.Export}}" + listSep + "{{.DefaultGODEBUG}}"
	return slices.Concat([]string{"list", "-export", "-deps", "-trimpath", "-f", format}, flags,
		// Every program links package runtime, and every test program links testing/internal/testdeps too.
		[]string{".", "./internal/harness/...", "runtime", "testing/internal/testdeps"})
}

// A List is what the go command compiled: packages, and the default GODEBUG settings of a module of the language of
// Oldest.
type List struct {
	Packages []Package
	GODEBUG  string
}

// ReadList parses the output of the go command for ListArguments.
func ReadList(out string) (l List, err error) {
	const program = "onthestack"
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), listSep)
		if len(fields) != 3 {
			return List{}, fmt.Errorf("unexpected answer %q", line)
		}
		switch path, archive := fields[0], fields[1]; {
		case path == program:
			l.GODEBUG = fields[2]
		case archive != "":
			l.Packages = append(l.Packages, Package{path, archive})
		}
	}
	return l, nil
}
