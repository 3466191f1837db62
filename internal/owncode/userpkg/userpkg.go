// Package userpkg builds and measures a package of any module in its own folder: with the user's own settings of the go
// command, and without writing anything to the folder. The commands explain, escape, compare and guard use it.
//
// Config.Load finds the package that a pattern names. Package.Compile compiles it with the compiler's escape report
// and, if asked, links a program that measures its benchmarks; the files for that are added by the go command's
// -overlay flag, and it is linked with archives of two packages of the standard library that are changed to measure
// (standard.go). Package.Measure runs the program, and Package.Explain joins the results to a verdict (explain.go).
// Config.FileEscapes and Config.PackageEscapes return the escape report alone.
//
// The package runs the go command itself, and not through package build, because it builds in the user's folder and
// with the user's environment.
package userpkg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"onthestack/internal/build"
	"onthestack/internal/gocommand"
	"onthestack/internal/harness"
	"onthestack/internal/safefile"
)

// A Config says how the go command finds and builds packages of the user: in their own folder, in the user's own module
// and with the user's own settings. Nothing is written there. A Config is safe for concurrent use.
type Config struct {
	Dir     string // the folder in which the go command runs, to which patterns are relative; "" is the current folder
	Tags    string // build tags, separated by commas
	Release string // a Go release to build with, "go1.27.4"; "" for the one that the user or the module selects
	// Flags are further flags of builds, as in GOFLAGS, and Env further settings: "-pgo=default.pgo", "GOAMD64=v3".
	Flags, Env []string
}

// An ArgumentError is a mistake in an argument of the user's: a pattern, the name of a file or of a Go release.
type ArgumentError struct{ message string }

func (m ArgumentError) Error() string { return m.message }

// NewArgumentError returns an ArgumentError.
func NewArgumentError(message string) ArgumentError { return ArgumentError{message} }

func argumentErrorf(format string, args ...any) error {
	return ArgumentError{fmt.Sprintf(format, args...)}
}

// A Package is one that Load has found, with the settings for its builds. Compile or Build builds it, and it can
// then be measured more than once. Close removes the files that were made for it.
type Package struct {
	Metadata
	Go, GOOS, GOARCH string // the release that builds it, "go1.26.8", and the platform

	// Texts are the texts of its Go files, tests included, by base name. They include files of the folder that //line
	// directives name, if they can be read and are not symbolic links that lead out of the folder.
	Texts map[string][]byte
	Built *Compilation // nil before Compile or Build

	config   Config
	env      []string // settings in addition to the caller's own environment
	goFlags  goFlags
	goroot   string
	modCache string            // GOMODCACHE
	goMod    string            // GOMOD, the go.mod of the folder in which the go command runs
	copyDir  string            // a folder with a copy of the module, "" if none was needed
	edited   map[string][]byte // the texts that differ from the disk
	standard *standard
}

// With returns the package with other text in the given files, by base name, which is not built. The go command reads
// that text through an overlay, so that nothing is written to the package's folder. The package must stay open for as
// long as the result is used. Closing the result removes only the files of its own build.
func (p *Package) With(edited map[string][]byte) *Package {
	q := *p
	q.copyDir, q.Built = "", nil
	q.Texts, q.edited = maps.Clone(p.Texts), map[string][]byte{}
	for _, texts := range []map[string][]byte{p.edited, edited} {
		maps.Copy(q.edited, texts)
		maps.Copy(q.Texts, texts)
	}
	return &q
}

// Copied reports whether the package is in a copy of its module that Load has made, because the module itself is in the
// module cache, where nothing may be written.
func (p *Package) Copied() bool { return p.copyDir != "" }

// Close removes the files of the build, and the copy of the module if Load has made one.
func (p *Package) Close() (err error) {
	if p.Built != nil {
		err = removeAll(p.Built.dir)
	}
	if p.copyDir != "" {
		err = errors.Join(err, os.RemoveAll(p.copyDir))
	}
	return err
}

// MaxSource bounds a Go file, in bytes. The largest generated files, tables of Unicode or of instructions,
// have a few million bytes.
const MaxSource = 64 << 20

// readTexts sets p.Texts. The error is a *safefile.Refused for something that is no file.
func (p *Package) readTexts() error {
	files, err := p.read(p.Files())
	if err != nil {
		return err
	}
	var named []string
	for _, text := range files {
		for _, m := range lineDirective.FindAllSubmatch(text, -1) {
			name := strings.TrimPrefix(string(m[1]), "./")
			if files[name] == nil && !strings.ContainsAny(name, `/\`) && !slices.Contains(named, name) &&
				len(named) < maxNamed {
				named = append(named, name)
			}
		}
	}
	for _, name := range named {
		if text, err := safefile.ReadFile(p.Dir, name, MaxSource); err == nil {
			files[name] = text
		}
	}
	p.Texts = files
	return nil
}

// Excluded returns the text of each Go file that build constraints exclude, without files that the go command never
// builds.
func (p *Package) Excluded() ([][]byte, error) {
	names := slices.DeleteFunc(slices.Clone(p.IgnoredGoFiles), func(name string) bool {
		return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
	})
	files, err := p.read(names)
	return slices.Collect(maps.Values(files)), err
}

// lineDirective matches a //line directive with a file, of which at most maxNamed are read.
var lineDirective = regexp.MustCompile(`(?m)^//line ([^:\n]+):[0-9]+`)

const maxNamed = 100

// read reads files of the package, by base name. A symbolic link may lead anywhere, as in the source trees of Bazel,
// Nix and Stow. Errors call a file by its path in the module.
func (m *Metadata) read(names []string) (map[string][]byte, error) {
	below, err := filepath.Rel(m.Module.Dir, m.Dir)
	if m.Module.Dir == "" || err != nil || !filepath.IsLocal(below) {
		below = "."
	}
	files := map[string][]byte{}
	for _, name := range names {
		called := filepath.ToSlash(filepath.Join(below, name))
		if files[name], err = safefile.ReadLinked(filepath.Join(m.Dir, name), called, MaxSource); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Load finds the one package that a pattern names, a folder or an import path. The error is an ArgumentError if the
// pattern is wrong, and another one if the package cannot be read or is too new for the Go release.
func (c Config) Load(ctx context.Context, pattern string) (*Package, error) {
	p := &Package{config: c, env: c.env(), standard: &standard{}}
	var packages []Metadata
	var listed errgroup.Group
	listed.Go(func() (err error) { packages, err = c.list(ctx, pattern); return err })
	err := p.queryGo(ctx) // has the better error
	if err = cmp.Or(err, listed.Wait()); err != nil {
		return nil, err
	}
	if err := single(packages, pattern); err != nil {
		return nil, err
	}
	p.Metadata = packages[0]
	if p.Standard && !strings.HasPrefix(p.Dir, p.goroot+string(filepath.Separator)) {
		return nil, argumentErrorf("%s: a package of the standard library outside its own folder", p.ImportPath)
	}
	if err := p.readTexts(); err != nil || p.Module.Dir == "" || !Within(p.modCache, p.Module.Dir) {
		return p, err
	}
	if p.copyDir, err = os.MkdirTemp("", "checkalloc-copy-"); err != nil {
		return nil, fmt.Errorf("make a folder for a copy of %s: %w", p.Module.Path, err)
	}
	if err := p.copy(); err != nil {
		return nil, errors.Join(fmt.Errorf("copy module %s: %w", p.Module.Path, err), p.Close())
	}
	return p, nil
}

// Within reports whether a file or folder is in a folder, or the folder itself.
func Within(dir, name string) bool {
	relative, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(relative)
}

func (c Config) env() []string {
	env := slices.Clone(c.Env)
	if c.Release != "" {
		env = append(env, "GOTOOLCHAIN="+c.Release)
	}
	return env
}

// buildFlags are the flags of all commands that read packages.
func (c Config) buildFlags() []string {
	if c.Tags == "" {
		return nil
	}
	return []string{"-tags=" + c.Tags}
}

// queryGo asks the go command for its release and its settings.
func (p *Package) queryGo(ctx context.Context) error {
	settings, err := p.config.settings(ctx, p.env, "GOVERSION", "GOOS", "GOARCH", "GOROOT", "GOMODCACHE", "GOCACHE",
		"GOFLAGS", "GOMOD")
	if err != nil && strings.Contains(err.Error(), "not defined: -json") {
		return tooOld("this Go") // Go before 1.9
	}
	if err != nil {
		return err
	}
	release, _, _ := strings.Cut(settings["GOVERSION"], " ") // without experiments
	p.Go, p.GOOS, p.GOARCH = release, settings["GOOS"], settings["GOARCH"]
	p.goroot, p.modCache = filepath.Clean(settings["GOROOT"]), filepath.Clean(settings["GOMODCACHE"])
	p.goMod = settings["GOMOD"]
	if p.goFlags, err = parseGoFlags(settings["GOFLAGS"]); err != nil {
		return err
	}
	p.goFlags = append(p.goFlags, p.config.Flags...)
	p.env = append(p.env, p.goFlags.setting())
	// Go before 1.16 does not know GOVERSION.
	if p.Go == "" || version.IsValid(p.Go) && version.Compare(p.Go, harness.Oldest) < 0 {
		return tooOld(cmp.Or(p.Go, "this Go"))
	}
	return build.CheckCache(settings["GOCACHE"])
}

// tooOld returns the error for a release of Go that cannot measure a package.
func tooOld(release string) error {
	return fmt.Errorf("%s is too old: install Go %s or newer (https://go.dev/dl/)", release,
		strings.TrimPrefix(harness.Oldest, "go"))
}

// goOptions returns how the go command runs with further settings in its environment.
func (c Config) goOptions(env []string) gocommand.Options {
	return gocommand.Options{Dir: c.Dir, Env: slices.Concat(os.Environ(), env), Time: limits.Time}
}

// settings returns settings of the go command by their names. The error is from goError.
func (c Config) settings(ctx context.Context, env []string, names ...string) (map[string]string, error) {
	settings, err := gocommand.Env(ctx, c.goOptions(env), names...)
	return settings, goError(err)
}

// goError returns the error of a go command with the command's own messages. It is an ArgumentError if there is no
// module.
func goError(err error) error {
	var failed *gocommand.Error
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return build.NoGo(harness.Oldest)
	case errors.As(err, &failed):
		words := messages(failed.Stderr)
		if noModule(words) {
			return argumentErrorf("%s", makeModule)
		}
		return errors.New(words)
	}
	return err
}

// messages returns the lines that the go command printed, without its name before each.
func messages(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "go: downloading ") || strings.TrimSpace(line) == "" {
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, "go: "))
	}
	if len(lines) == 0 {
		return "the go command failed without a message"
	}
	return gocommand.HideProxies(strings.Join(lines, "\n"))
}

// copy copies the package's module out of the module cache, because the go command does not let an overlay add files to
// a module there. The copy is a main module.
func (p *Package) copy() error {
	dir, err := filepath.EvalSymlinks(p.copyDir) // as the go command does
	if err != nil {
		return err
	}
	p.copyDir = dir
	if err := os.CopyFS(dir, os.DirFS(p.Module.Dir)); err != nil {
		return err
	}
	mod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(mod, []byte("module "+p.Module.Path+"\n"), 0o600); err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} { // in the module cache they are read-only
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	rel, err := filepath.Rel(p.Module.Dir, p.Dir)
	if err != nil {
		return err
	}
	p.Module.Dir, p.Dir = dir, filepath.Join(dir, rel)
	p.config.Dir = p.Dir
	p.goFlags = append(p.goFlags, "-mod=mod")
	p.env = append(p.env, "GOWORK=off", p.goFlags.setting())
	return nil
}

// ResolveReleases returns the full names of Go releases: for "1.24" and "go1.24" the newest patch, "go1.24.13"; a
// name with a patch stays as it is. The error is an ArgumentError for a name that is not a release, or one of a
// release that is too old to measure a package.
func ResolveReleases(ctx context.Context, names []string) ([]string, error) {
	var releases []string
	for _, name := range names {
		v := "go" + strings.TrimPrefix(strings.TrimSpace(name), "go")
		switch {
		case !version.IsValid(v):
			return nil, argumentErrorf("--go %s: releases are named as 1.24 or 1.24.13", name)
		case version.Compare(v, harness.Oldest) < 0:
			return nil, argumentErrorf("--go %s: packages can be explained on Go %s and newer", name,
				strings.TrimPrefix(harness.Oldest, "go"))
		}
		releases = append(releases, v)
	}
	patches, err := build.Newest(ctx, releases...)
	var none build.NoReleaseError
	if errors.As(err, &none) {
		return nil, argumentErrorf("--go: %v", none)
	}
	return patches, err
}
