package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"onthestack/internal/harness"
)

// archives are the compiled packages that a direct build finds: those of the standard library and of the harness.
type archives struct {
	importcfg string            // the file that names the archive of each package
	text      []byte            // what is in it
	listed    map[string]bool   // their import paths
	public    map[string]bool   // the import paths among them that any program may import
	harness   map[string][]byte // the sources of the harness's packages, as in verdict.Source
	godebug   string            // what a module of the language of Oldest has as its defaults
}

// prepareLimits allow for compiling the standard library on a slow machine.
var prepareLimits = Limits{Time: 30 * time.Minute, Output: 8 << 20}

// Std lists the import paths of the standard library that a program may import, in order.
func (t *Isolated) Std(ctx context.Context) ([]string, error) {
	if std := t.std.Load(); std != nil {
		return *std, nil
	}
	ctx, cancel := prepareLimits.deadline(ctx)
	defer cancel()
	o, err := t.trusted(ctx, t.folder.own, "list", "std")
	if err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	std := slices.DeleteFunc(strings.Fields(string(o)), func(path string) bool {
		path = "/" + path + "/"
		return strings.Contains(path, "/internal/") || strings.Contains(path, "/vendor/")
	})
	t.std.Store(&std)
	return std, nil
}

// trusted runs the go command in dir over code that is not a stranger's, with the build cache that all builds draw on.
func (t *Isolated) trusted(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if err := keepAll(t.folder.cache); err != nil {
		return nil, err
	}
	env := append(t.environ("off"), "GOCACHE="+t.folder.cache, "GOPATH="+filepath.Join(t.folder.own, "gopath"), "GOTMPDIR="+t.folder.own, "TMPDIR="+t.folder.own)
	o, err := prepareLimits.run(ctx, dir, env, t.goCommand(), args...)
	switch {
	case err == nil && !o.ok && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && !o.ok:
		err = fmt.Errorf("go %s: %s%s", args[0], o.stopped, o.output)
	}
	return o.output, err
}

// Prepare compiles the packages of the standard library with those import paths, all that they need, and what checks need, and
// has them at hand from then on. Called for all of the standard library it takes half a minute on a new machine and a second
// later on. It may run beside builds, and be called again with more: from the second call on it takes one processor and leaves
// the others to requests.
func (t *Isolated) Prepare(ctx context.Context, imports ...string) error {
	var flags []string
	if t.archives.Load().importcfg != "" {
		flags = []string{"-p=1"}
	}
	return t.prepare(ctx, flags, imports)
}

func (t *Isolated) prepare(ctx context.Context, flags, imports []string) error {
	std, err := t.Std(ctx)
	if err != nil {
		return err
	}
	for _, path := range imports {
		if !slices.Contains(std, path) && path != "unsafe" {
			return fmt.Errorf("prepare %q: it is not a package of the standard library", path)
		}
	}
	dir, err := os.MkdirTemp(t.folder.own, "prepare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sources, err := layTrusted(dir, imports)
	if err != nil {
		return err
	}
	ctx, cancel := prepareLimits.deadline(ctx)
	defer cancel()
	a, err := t.list(ctx, dir, flags)
	if err != nil {
		return fmt.Errorf("compile the standard library: %w", err)
	}
	// What go vet finds out about the standard library it takes from the build cache later on.
	if _, err := t.trusted(ctx, dir, slices.Concat([]string{"vet", "-trimpath"}, flags, []string{"."})...); err != nil {
		return fmt.Errorf("vet the standard library: %w", err)
	}

	if err := t.preparing.take(ctx); err != nil {
		return err
	}
	defer t.preparing.give()
	for _, path := range imports {
		t.prepared[path] = true
	}
	if all := slices.Sorted(maps.Keys(t.prepared)); len(all) > len(imports) {
		if _, err := layTrusted(dir, all); err != nil {
			return err
		}
		if a, err = t.list(ctx, dir, nil); err != nil {
			return fmt.Errorf("list the standard library: %w", err)
		}
	}
	a.harness = sources
	a.allow(std)
	if err := a.write(t.folder.own); err != nil {
		return err
	}
	t.archives.Store(a)
	return t.caches.renew()
}

// prepareFor compiles the packages of the standard library that a program imports and Prepare was not asked for yet.
func (t *Isolated) prepareFor(ctx context.Context, files map[string][]byte) error {
	std, err := t.Std(ctx)
	if err != nil {
		return err
	}
	public := t.archives.Load().public
	var missing []string
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && !public[path] && slices.Contains(std, path) {
				missing = append(missing, path)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return t.prepare(ctx, nil, missing)
}

// layTrusted writes into dir a module with a program that imports all of the packages, and with the harness, and returns the
// harness's sources.
func layTrusted(dir string, imports []string) (map[string][]byte, error) {
	sources, err := harness.Files("checked", "checked", nil, nil)
	if err != nil {
		return nil, err
	}
	delete(sources, "checked/"+harness.MainFile)
	var program bytes.Buffer
	program.WriteString("package main\n\n")
	for _, path := range imports {
		fmt.Fprintf(&program, "import _ %q\n", path)
	}
	program.WriteString("\nfunc main() {}\n")
	for name, text := range sources {
		if err := write(dir, name, text); err != nil {
			return nil, err
		}
	}
	return sources, errors.Join(write(dir, "go.mod", workbookModule), write(dir, "main.go", program.Bytes()))
}

// A lock is held by one at a time. Unlike that for a sync.Mutex, waiting for it ends with a context: a request that waits while
// another has the go command work is not to outlast its own time.
type lock chan struct{}

func (l lock) take(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l lock) give() { <-l }

// list compiles what is laid into dir and returns the archives of it and of what it needs.
func (t *Isolated) list(ctx context.Context, dir string, flags []string) (*archives, error) {
	out, err := t.trusted(ctx, dir, listArchives(flags...)...)
	if err != nil {
		return nil, err
	}
	return readArchives(string(out))
}

const listSep = "\t"

// listArchives are the arguments by which the go command compiles and lists what layTrusted laid out.
func listArchives(flags ...string) []string {
	return slices.Concat([]string{"list", "-export", "-deps", "-trimpath", "-f", "{{.ImportPath}}" + listSep + "{{.Export}}" + listSep + "{{.DefaultGODEBUG}}"}, flags,
		// What the go command adds to a program and to a test program.
		[]string{".", "./internal/harness/...", "runtime", "testing/internal/testdeps"})
}

// readArchives reads what the go command answers to listArchives.
func readArchives(out string) (*archives, error) {
	const program = "onthestack"
	a := &archives{listed: map[string]bool{}}
	var text bytes.Buffer
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), listSep)
		if len(fields) != 3 {
			return nil, fmt.Errorf("unexpected answer %q", line)
		}
		path, archive := fields[0], fields[1]
		switch {
		case path == program:
			a.godebug = fields[2]
		case archive != "":
			fmt.Fprintf(&text, "packagefile %s=%s\n", path, archive)
			a.listed[path] = true
		}
	}
	a.text = text.Bytes()
	return a, nil
}

// allow lets programs import these packages, as far as there are archives of them.
func (a *archives) allow(imports []string) {
	a.public = map[string]bool{}
	for _, path := range imports {
		a.public[path] = a.listed[path] || path == "unsafe" // the compiler has that one in itself
	}
}

// write writes the archives' file. Builds under way keep the one that they began with.
func (a *archives) write(dir string) error {
	f, err := os.CreateTemp(dir, "importcfg-")
	if err != nil {
		return err
	}
	a.importcfg = f.Name()
	_, err = f.Write(a.text)
	return errors.Join(err, f.Close())
}
