package compilelink

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

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
