package measure

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
)

// run runs the go command, or a program that it built, in the listing's folder.
func (m *Measurer) run(ctx context.Context, listing, command string, args ...string) ([]byte, error) {
	return build.RunTrusted(ctx, m.packageDir(listing), build.Environ(), command, args...)
}

// packageDir returns the path of the listing's folder on this machine.
func (m *Measurer) packageDir(name string) string {
	return filepath.Join(m.folder(), filepath.FromSlash(name))
}

// report returns the escape report as the compiler prints it for a build in the listing's folder. The build uses
// -trimpath, and the package's path is removed, because the go command may replay output from its cache, with the paths
// of the build that filled it. The report leaves out generic functions of other packages, which the compiler
// instantiates in the package that uses them.
func (m *Measurer) report(ctx context.Context, name string) ([]string, error) {
	out, err := m.run(ctx, name, "go", "build", "-trimpath", "-gcflags=-m=2", "-o", os.DevNull, ".")
	if err != nil {
		return nil, err
	}
	lines := m.lines(bytes.ReplaceAll(out, []byte("onthestack/"+m.Book+"/"+name+"/"), []byte("./")))
	return slices.DeleteFunc(lines, func(line string) bool {
		file, _, _ := strings.Cut(strings.TrimPrefix(line, "./"), ":")
		return strings.Contains(file, "/") && !strings.HasPrefix(line, "#")
	}), nil
}

// build builds the listing's test binary as a reader does, and writes it into the folder dir.
func (m *Measurer) build(ctx context.Context, name, dir string) (binary string, err error) {
	binary = filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".test")
	_, err = m.run(ctx, name, "go", "test", "-c", "-o", binary, ".")
	return binary, err
}

// lines splits the output of a command into lines, and removes this machine's folders from it, and the lines with which
// pprof lists anchor comments.
func (m *Measurer) lines(out []byte) []string {
	out = bytes.ReplaceAll(out, []byte(m.Root+string(filepath.Separator)), nil)
	var lines []string
	for line := range strings.Lines(strings.TrimRight(string(out), " \t\r\n")) {
		if _, source, ok := strings.Cut(line, ":"); ok && bookdata.IsAnchor(source) {
			continue
		}
		lines = append(lines, strings.TrimRight(line, " \t\r\n"))
	}
	return lines
}
