package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"

	"onthestack/internal/compilelink"
	"onthestack/internal/gocommand"
)

// exeByDefault are the platforms on which the go command links with -buildmode=exe, as package compilelink does.
var exeByDefault = []string{"linux", "freebsd", "netbsd", "openbsd"}

// Prepare compiles the packages of the standard library with those import paths, and what checks need, into the user's
// own build cache. After that BuildTest compiles and links most tests without the go command, in half the time and with
// the same result. Prepare may run concurrently with builds. It must be called only once. Close removes its files.
func (t *Toolchain) Prepare(ctx context.Context, imports ...string) (err error) {
	if !slices.Contains(exeByDefault, t.platform.goos) {
		return nil
	}
	r, err := t.describe()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "checkalloc-prepared-")
	if err != nil {
		return fmt.Errorf("make a folder for the standard library's list: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if err := writeTrusted(dir, imports); err != nil {
		return err
	}
	ctx, cancel := prepareLimits.WithTimeout(ctx)
	defer cancel()
	env := t.environ(r, dir)
	defer t.compiling.Store(false)
	out, err := gocommand.Run(ctx, gocommand.Options{Dir: dir, Env: env, Log: compileLog{&t.compiling}},
		compilelink.ListArguments("-v")...)
	if errors.As(err, new(*gocommand.Error)) {
		text := compiledPackage.ReplaceAllString(err.Error(), "")
		return fmt.Errorf("compile the standard library: go list: %s", r.hide([]byte(text), dir))
	}
	if err != nil {
		return err
	}
	listed, err := compilelink.ReadList(string(out))
	if err != nil {
		return fmt.Errorf("list the standard library: %w", err)
	}
	p := &prepared{dir: dir, tools: tools{r.toolDir, env, newArchiveCache(filepath.Join(dir, "archives"))}}
	for _, pkg := range listed.Packages {
		p.files = append(p.files, pkg.Archive)
	}
	archives, err := writeArchives(listed, dir, imports)
	if err != nil {
		return err
	}
	p.toolchain = r.compilelink(t.platform, archives, stripFlags)
	t.prepared.Store(p)
	return nil
}

// compiledPackage matches a line of the go command's flag -v: the import path of a package that it begins to compile.
var compiledPackage = regexp.MustCompile(`(?m)^[^\s#:]+\n`)

// A compileLog is the log of a go command with the flag -v. It notes that the command has begun to compile.
type compileLog struct{ begun *atomic.Bool }

func (l compileLog) Write(p []byte) (int, error) {
	if compiledPackage.Match(p) {
		l.begun.Store(true)
	}
	return len(p), nil
}

// Busy says what is under way that may take long, or "" for nothing.
func (t *Toolchain) Busy() string {
	switch {
	case t.compiling.Load():
		return "compiling the standard library, as the first check on a machine has to"
	case t.building.Load() > 0:
		return "building with the go command, which takes longest the first time"
	}
	return ""
}

// PrepareBeside calls Prepare in the background. Builds of tests wait until it has ended. If it fails, they use the go
// command, which reports what is wrong. It must be called before the first build, and Close ends it.
func (t *Toolchain) PrepareBeside(ctx context.Context, imports ...string) {
	ctx, t.endPreparing = context.WithCancel(ctx)
	t.preparing.Go(func() { t.Prepare(ctx, imports...) })
}

// Close removes the files of Prepare. No build may be running.
func (t *Toolchain) Close() error {
	if t.endPreparing != nil {
		t.endPreparing()
		t.preparing.Wait()
	}
	if p := t.prepared.Swap(nil); p != nil {
		return os.RemoveAll(p.dir)
	}
	return nil
}

// A prepared has the inputs of builds without the go command.
type prepared struct {
	dir       string // folder with the list of the archives
	tools     tools
	toolchain compilelink.Toolchain
	files     []string // the archives
}

// complete reports whether all archives still exist: the go command removes files from its cache that were not used for
// days.
func (p *prepared) complete() bool {
	return !slices.ContainsFunc(p.files, func(name string) bool {
		_, err := os.Stat(name)
		return err != nil
	})
}
