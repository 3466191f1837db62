package measure

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
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

// recordOutput runs the commands whose output the book shows, at the root of the repository, where a reader runs them.
// It runs all commands about a listing, in the order of the pages, because one may read what another has written, and
// none if neither the listing nor Go has changed. all means that w is of the whole book.
func (m *Measurer) recordOutput(ctx context.Context, w Wanted, all bool) error {
	if len(w.Output) == 0 {
		return nil
	}
	stored, err := bookdata.ReadOutput(m.fs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	installed, err := m.tools.Version()
	if err != nil {
		return err
	}
	output := &bookdata.Output{Listings: map[string]*bookdata.ListingOutput{}}
	if !all {
		maps.Copy(output.Listings, stored.Listings)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Output)) {
		files, err := bookdata.ReadPackage(m.fs(), name)
		if err != nil {
			return err
		}
		o := &bookdata.ListingOutput{Go: installed, Source: bookdata.HashFiles(files), Commands: map[string][]string{}}
		old := stored.Listings[name]
		if old != nil && old.Go == o.Go && old.Source == o.Source &&
			slices.Equal(slices.Sorted(maps.Keys(old.Commands)), slices.Compact(slices.Sorted(slices.Values(w.Output[name])))) {
			output.Listings[name] = old
			continue
		}
		for _, command := range w.Output[name] {
			m.Progress("%s", command)
			// Without -count=1 the go command may answer from its cache.
			out, err := build.RunTrusted(ctx, m.Root, build.Environ("GOFLAGS=-count=1"), "sh", "-c", command)
			if err != nil {
				return err
			}
			o.Commands[command] = m.lines(out)
		}
		output.Listings[name] = o
	}
	return output.Write(m.folder())
}
