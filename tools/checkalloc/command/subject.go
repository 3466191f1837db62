package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// buildSubject builds the package that a pattern names, with its benchmarks if measure is true.
func buildSubject(
	ctx context.Context, line *printable.StatusLine, config userpkg.Config, pattern string, measure bool,
) (*userpkg.Package, error) {
	line.Show("reading %s", pattern)
	s, err := config.Load(ctx, pattern)
	if err != nil {
		return nil, err
	}
	line.Show("building %s", s.ImportPath)
	defer explainDelay(line, s.ImportPath)()
	if err := s.Compile(ctx, measure); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// explainPackage builds the package that a pattern names and explains it. It shows its progress on the line.
func explainPackage(
	ctx context.Context, line *printable.StatusLine, config userpkg.Config, pattern string, m userpkg.MeasureOptions,
	within userpkg.Scope,
) (*userpkg.Explanation, error) {
	defer line.Clear()
	s, err := buildSubject(ctx, line, config, pattern, m.Bench != noBenchmark)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	line.Show("measuring %s", s.ImportPath)
	return s.Explain(ctx, m, within)
}

// folders returns the slash-separated path of the package's folder from the root of its repository or module, and the
// paths of the other packages in there, by import path.
func folders(e *userpkg.Explanation) (folder string, others map[string]string) {
	folder, _ = repositoryFolder(e.Package, e.Dir)
	others = map[string]string{}
	for _, o := range e.Others {
		if folder, ok := repositoryFolder(e.Package, o.Dir); ok {
			others[o.ImportPath] = folder
		}
	}
	return folder, others
}

// repositoryFolder returns the slash-separated path of a folder from the root of a package's repository or module, and
// whether it is in there.
func repositoryFolder(p *userpkg.Package, dir string) (path string, ok bool) {
	folder, err := filepath.Rel(repositoryRoot(p.Module.Dir), dir)
	if p.Module.Dir == "" || err != nil || !filepath.IsLocal(folder) {
		return "", false
	}
	return filepath.ToSlash(folder), true
}

// repositoryRoot returns the folder of the git repository around a module, or the module's own folder if there is none.
func repositoryRoot(module string) string {
	for dir := module; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return module
		}
	}
}

// explainDelay explains a build that takes longer than five seconds, until stop is called.
func explainDelay(line *printable.StatusLine, pkg string) (stop func() bool) {
	return line.After(5*time.Second, func() string {
		return "building " + pkg + " … (what Go's build cache lacks is compiled first)"
	})
}

// asUsage returns err as wrong usage if it is about the name of a package.
func asUsage(err error) error {
	var m userpkg.ArgumentError
	if errors.As(err, &m) {
		return app.UsageError(m.Error())
	}
	return err
}
