package userpkg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/build"
	"onthestack/internal/gocommand"
	"onthestack/internal/safefile"
)

// A Metadata is what "go list -json" prints about a package.
type Metadata struct {
	Dir, ImportPath, Name string
	Standard              bool
	Module                Module // its fields are "" if the package has none

	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string // base names
	IgnoredGoFiles                               []string // excluded by build constraints
	InvalidGoFiles                               []string // files that cannot be read; some are among the others too

	Error *struct{ Pos, Err string }
}

// A Module is a module that the go command knows. GoVersion is its version of the language, "1.26".
type Module struct{ Path, Dir, GoVersion string }

// Modules returns the modules that are being worked on: the one around the folder, or all that a go.work names. The error
// is an ArgumentError if there is none.
func (c Config) Modules(ctx context.Context) ([]Module, error) {
	if err := c.checkModuleFiles(); err != nil {
		return nil, err
	}
	modules, err := gocommand.List[Module](ctx, c.goOptions(c.env()), "-m", "-json")
	if err != nil {
		return nil, goError(err)
	}
	modules = slices.DeleteFunc(modules, func(m Module) bool { return m.Path == "command-line-arguments" })
	if len(modules) == 0 {
		return nil, argumentErrorf("%s", makeModule)
	}
	return modules, nil
}

// Files returns the base names of the files that are built.
func (m *Metadata) Files() []string {
	return slices.Concat(m.GoFiles, m.CgoFiles, m.TestGoFiles, m.XTestGoFiles)
}

// Sources returns the text of each of the package's Go files, including files that build constraints exclude, by base
// name. The error is a *safefile.Refused for something that is no file.
func (m *Metadata) Sources() (map[string][]byte, error) {
	return m.read(slices.Concat(m.Files(), m.IgnoredGoFiles))
}

const listFields = "-json=Dir,ImportPath,Name,Standard,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles," +
	"IgnoredGoFiles,InvalidGoFiles,Error"

// List asks the go command for packages. It does not read what they import, and downloads nothing. A mistake in a
// package or in a pattern is in Metadata.Error.
func (c Config) List(ctx context.Context, patterns ...string) ([]Metadata, error) {
	packages, err := c.list(ctx, patterns...)
	if err != nil && ctx.Err() == nil && !errors.As(err, new(ArgumentError)) {
		// queryGo has the better error for a go command that is too old or has no cache.
		if why := (&Package{config: c, env: c.env()}).queryGo(ctx); why != nil {
			err = why
		}
	}
	for i := range packages {
		// For "./..." the go command does not report a missing module as such.
		if e := packages[i].Error; e != nil && strings.Contains(e.Err, "does not contain main module") {
			if s, err := c.settings(ctx, append(c.env(), build.NoFlags), "GOMOD"); err == nil &&
				slices.Contains([]string{"", os.DevNull}, s["GOMOD"]) {
				e.Err = makeModule
			}
		}
	}
	return packages, err
}

func (c Config) list(ctx context.Context, patterns ...string) ([]Metadata, error) {
	if slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(p, "-") }) {
		return nil, argumentErrorf("%s: there is no package of that name", strings.Join(patterns, " "))
	}
	if err := c.checkModuleFiles(); err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		if err := c.checkFiles(pattern); err != nil {
			return nil, err
		}
	}
	args := slices.Concat([]string{"-e", "-find", listFields}, c.buildFlags(), []string{"--"}, patterns)
	packages, err := gocommand.List[Metadata](ctx, c.goOptions(c.env()), args...)
	if err != nil {
		return nil, goError(err)
	}
	for _, p := range packages {
		if p.Error != nil && diskFull.MatchString(p.Error.Err) {
			return nil, errors.New(p.Error.Err)
		}
	}
	return packages, nil
}

// checkModuleFiles returns an error if a go.mod or go.work, in the folder or above it, is neither a file nor a folder.
// The go command opens the nearest one, and would block on a named pipe. It ignores a folder of that name.
func (c Config) checkModuleFiles() error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	for {
		for _, name := range []string{"go.mod", "go.work"} {
			name := filepath.Join(dir, name)
			if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return safefile.NotFile(name, info.Mode())
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// checkFiles returns an error if something is named like a Go file and is not a regular file, in the folder that a
// pattern names or, with "...", in a folder below. The go command opens whatever has such a name, and would block on a
// named pipe. For an invalid pattern the result is nil, because the go command reports it.
func (c Config) checkFiles(pattern string) error {
	pattern = filepath.ToSlash(pattern)
	below, all := strings.CutSuffix(pattern, "/...")
	local := below == "." || below == ".." || strings.HasPrefix(below, "./") || strings.HasPrefix(below, "../")
	if strings.Contains(below, "...") || !local && !filepath.IsAbs(below) {
		return nil
	}
	root := filepath.FromSlash(below)
	if !filepath.IsAbs(root) {
		root = filepath.Join(c.Dir, root)
	}
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	return filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && name != root && (!all || ignored(entry.Name())):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			if rel, err := filepath.Rel(root, name); err == nil {
				name = filepath.ToSlash(filepath.Join(filepath.FromSlash(below), rel))
			}
			return safefile.NotFile(name, info.Mode())
		}
		return nil
	})
}

// ignored reports whether a pattern with "..." leaves out a folder of that name.
func ignored(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "testdata"
}

// single returns an error unless the pattern names exactly one package, which can be read. The error is an
// ArgumentError if the pattern is wrong.
func single(packages []Metadata, pattern string) error {
	switch len(packages) {
	case 0:
		return argumentErrorf("%s: no package there", pattern)
	case 1:
	default:
		return argumentErrorf("%s names %d packages: name one, as %s", pattern, len(packages), packages[0].ImportPath)
	}
	p := packages[0]
	switch {
	case p.Error != nil && len(p.IgnoredGoFiles) > 0 && len(p.Files()) == 0:
		return argumentErrorf(
			"%s: build constraints exclude all Go files (%s): --tags names build tags",
			pattern,
			strings.Join(p.IgnoredGoFiles, ", "),
		)
	case p.Error != nil && noModule(p.Error.Err):
		return argumentErrorf("%s: %s", pattern, makeModule)
	case p.Error != nil:
		text := strings.TrimSpace(p.Error.Err)
		if pos := p.Error.Pos; pos != "" && !strings.HasPrefix(text, pos) {
			text = pos + ": " + text
		}
		if len(p.Files())+len(p.InvalidGoFiles) > 0 { // the package exists
			return fmt.Errorf("%s: %s", pattern, text)
		}
		return argumentErrorf("%s: %s", pattern, text)
	}
	return nil
}

const makeModule = "no go.mod here or in a folder above: \"go mod init NAME\" makes a module"

// noModule reports whether a message of the go command says that there is no module.
func noModule(text string) bool {
	return strings.Contains(text, "go.mod file not found") || strings.Contains(text, "cannot find main module")
}
