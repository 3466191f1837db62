package toolchain

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/harness"
	"onthestack/internal/rooted"
)

// InPlace builds packages where they lie, in the caller's own module and with the caller's own settings of the go command. It
// writes nothing there. It is safe for concurrent use.
type InPlace struct {
	Dir     string // where the go command runs: patterns are relative to it; "" is the current folder
	Tags    string // build tags, separated by commas
	Release string // a Go release to build with, "go1.27.4"; "" for what the caller has, or the module names
}

// A Mistake is an error of the caller's in what is to be built.
type Mistake struct{ message string }

func (m Mistake) Error() string { return m.message }

func mistake(format string, args ...any) error { return Mistake{fmt.Sprintf(format, args...)} }

// A Located is a package that was found, with the settings under which it is built. Close removes what was made for it.
type Located struct {
	ImportPath string
	Name       string
	Dir        string // of its files
	ModuleDir  string // the root of its module, "" for none
	// The base names of the files that are built.
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string

	Go, GOOS, GOARCH string // "go1.26.8": what builds it

	run    InPlace
	goroot string
	cache  string   // of modules
	env    []string // beside the caller's own
	path   string   // of its module
	copied string   // a folder with a copy of the module, "" where none was needed
}

// Close removes the copy of the module that was made, if any.
func (l *Located) Close() error {
	if l.copied == "" {
		return nil
	}
	return os.RemoveAll(l.copied)
}

// MaxSource is how many bytes of a Go file are read. The largest files that programs write, tables of Unicode or of instructions, have a
// few million.
const MaxSource = 64 << 20

// Files returns the text of each of the package's Go files, those of its tests included, by base name. The error is a *rooted.Refused
// for a link that leads out of the package's module.
func (l *Located) Files() (map[string][]byte, error) {
	return readSources(l.ModuleDir, l.Dir, slices.Concat(l.GoFiles, l.CgoFiles, l.TestGoFiles, l.XTestGoFiles))
}

// readSources reads files of the folder dir, by base name. A link may lead to another folder of the module; without a module, with "",
// to another file of dir.
func readSources(module, dir string, names []string) (map[string][]byte, error) {
	below, err := filepath.Rel(module, dir)
	if module == "" || err != nil || !filepath.IsLocal(below) {
		module, below = dir, "."
	}
	root, err := os.OpenRoot(module)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = rooted.Read(root, filepath.Join(below, name), filepath.ToSlash(filepath.Join(below, name)), MaxSource); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Find finds the one package that a pattern names: a folder or an import path. What is wrong with the pattern is a Mistake; what
// keeps the package from being read, or this Go from building it, another error.
func (g InPlace) Find(ctx context.Context, pattern string) (*Located, error) {
	type answer struct {
		packages []Listing
		err      error
	}
	list := make(chan answer, 1)
	go func() {
		packages, err := g.list(ctx, pattern)
		list <- answer{packages, err}
	}()
	l := &Located{run: g, env: g.release()}
	if err := l.ask(ctx); err != nil {
		<-list
		return nil, err
	}
	a := <-list
	if a.err != nil {
		return nil, a.err
	}
	if err := one(a.packages, pattern); err != nil {
		return nil, err
	}
	p := a.packages[0]
	if p.Standard && !strings.HasPrefix(p.Dir, l.goroot+string(filepath.Separator)) {
		return nil, mistake("%s: a package of the standard library outside its own folder", p.ImportPath)
	}
	l.ImportPath, l.Name, l.Dir = p.ImportPath, p.Name, p.Dir
	l.GoFiles, l.CgoFiles, l.TestGoFiles, l.XTestGoFiles = p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles
	if p.Module != nil {
		l.path, l.ModuleDir = p.Module.Path, p.Module.Dir
		if within(l.ModuleDir, l.cache) {
			return l, l.copy()
		}
	}
	return l, nil
}

// within reports whether dir lies in or is the folder root.
func within(dir, root string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

func (g InPlace) release() []string {
	if g.Release == "" {
		return nil
	}
	return []string{"GOTOOLCHAIN=" + g.Release}
}

// flags are those of every command that reads packages.
func (g InPlace) flags() []string {
	if g.Tags == "" {
		return nil
	}
	return []string{"-tags=" + g.Tags}
}

// ask learns which Go builds here.
func (l *Located) ask(ctx context.Context) error {
	out, err := l.run.output(ctx, l.env, "env", "GOVERSION", "GOOS", "GOARCH", "GOROOT", "GOMODCACHE", "GOCACHE")
	if err != nil {
		return err
	}
	values := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(out), "\r\n", "\n"), "\n"), "\n")
	if len(values) != 6 {
		return fmt.Errorf("go env: unexpected answer %q", out)
	}
	l.Go, l.GOOS, l.GOARCH, l.goroot, l.cache = goVersion(values[0]), values[1], values[2], filepath.Clean(values[3]), filepath.Clean(values[4])
	if l.Go == "" { // before Go 1.16 it did not know
		l.Go = "this Go"
	}
	if l.Go == "this Go" || version.IsValid(l.Go) && version.Compare(l.Go, harness.Oldest) < 0 {
		return fmt.Errorf("%s is too old: install Go %s or newer (https://go.dev/dl/)", l.Go, strings.TrimPrefix(harness.Oldest, "go"))
	}
	return usable(values[5])
}

// output runs the go command and returns what it prints on stdout. A failure is told in the command's own words; where there is no
// module it is a Mistake.
func (g InPlace) output(ctx context.Context, env []string, args ...string) ([]byte, error) {
	ctx, cancel := inPlaceLimits.WithTimeout(ctx)
	defer cancel()
	out, err := GoOutput(ctx, g.Dir, slices.Concat(os.Environ(), env), args...)
	var failed *GoError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, NoGo(harness.Oldest)
	case errors.As(err, &failed):
		words := ownWords(failed.Stderr)
		if noModule(words) {
			return nil, mistake("%s", makeModule)
		}
		return nil, errors.New(words)
	}
	return out, err
}

// ownWords are the go command's lines without its name before each.
func ownWords(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "go: downloading ") || strings.TrimSpace(line) == "" {
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, "go: "))
	}
	if len(lines) == 0 {
		return "the go command failed without saying why"
	}
	return withoutProxy(strings.Join(lines, "\n"))
}

// copy makes a copy of the package's module, which lies in the module cache: the go command lets nothing be added there. The copy
// is a main module.
func (l *Located) copy() error {
	dir, err := os.MkdirTemp("", "checkalloc-copy-")
	if err != nil {
		return fmt.Errorf("make a folder for a copy of %s: %w", l.path, err)
	}
	// By the name that the go command will call it.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	l.copied = dir
	if err := l.copyTo(dir); err != nil {
		l.Close()
		return fmt.Errorf("copy module %s: %w", l.path, err)
	}
	return nil
}

func (l *Located) copyTo(dir string) error {
	if err := os.CopyFS(dir, os.DirFS(l.ModuleDir)); err != nil {
		return err
	}
	mod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(mod, []byte("module "+l.path+"\n"), 0o600); err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} { // of a module in the cache they cannot be written
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	rel, err := filepath.Rel(l.ModuleDir, l.Dir)
	if err != nil {
		return err
	}
	l.ModuleDir, l.Dir = dir, filepath.Join(dir, rel)
	l.run.Dir = l.Dir
	l.env = append(l.env, "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
	return nil
}

// Patches makes full names of releases of Go: "1.24" and "go1.24" become the newest patch of it, "go1.24.13"; what names a patch
// stays. A name that is none, or of a release that is too old to measure a package in place, is a Mistake.
func Patches(ctx context.Context, names []string) ([]string, error) {
	var known, patches []string
	for _, name := range names {
		v := "go" + strings.TrimPrefix(strings.TrimSpace(name), "go")
		switch {
		case !version.IsValid(v):
			return nil, mistake("--go %s: releases are named as 1.24 or 1.24.13", name)
		case version.Compare(v, harness.Oldest) < 0:
			return nil, mistake("--go %s: a package is explained on Go %s and newer", name, strings.TrimPrefix(harness.Oldest, "go"))
		case v == version.Lang(v):
			var err error
			if known == nil {
				if known, err = Releases(ctx); err != nil {
					return nil, fmt.Errorf("%w; name a patch, as %s.1", err, v)
				}
			}
			i := slices.IndexFunc(known, func(r string) bool { return version.Lang(r) == v })
			if i < 0 {
				return nil, mistake("--go %s: there is no such release for this platform; the newest is %s", name, known[len(known)-1])
			}
			v = known[i]
		}
		if !slices.Contains(patches, v) {
			patches = append(patches, v)
		}
	}
	return patches, nil
}
