package compilelink

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Trusted returns the files of a module whose packages the go command compiles to have the archives: a program that imports all
// of the imports, and the harness.
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

// ListArguments are the arguments by which the go command compiles and lists what Trusted returned.
func ListArguments(flags ...string) []string {
	return slices.Concat([]string{"list", "-export", "-deps", "-trimpath", "-f", "{{.ImportPath}}" + listSep + "{{.Export}}" + listSep + "{{.DefaultGODEBUG}}"}, flags,
		// What the go command adds to a program and to a test program.
		[]string{".", "./internal/harness/...", "runtime", "testing/internal/testdeps"})
}

// ReadList reads what the go command answers to ListArguments, for NewArchives.
func ReadList(out string) (packages []Package, godebug string, err error) {
	const program = "onthestack"
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), listSep)
		if len(fields) != 3 {
			return nil, "", fmt.Errorf("unexpected answer %q", line)
		}
		switch path, archive := fields[0], fields[1]; {
		case path == program:
			godebug = fields[2]
		case archive != "":
			packages = append(packages, Package{path, archive})
		}
	}
	return packages, godebug, nil
}
