package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
)

// buildSubject builds the package that a pattern names, with its benchmarks if measure is true.
func buildSubject(
	ctx context.Context,
	line *printable.StatusLine,
	config userpkg.Config,
	pattern string,
	measure bool,
) (*userpkg.Subject, error) {
	line.Show("reading %s", pattern)
	s, err := userpkg.LoadSubject(ctx, config, pattern)
	if err != nil {
		return nil, err
	}
	line.Show("building %s", s.Package.ImportPath)
	defer explainDelay(line, s.Package.ImportPath)()
	if err := s.Compile(ctx, measure); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// explainSubject measures a package and explains it. If ctx is done meanwhile, it returns an explanation of what was
// measured until then, and the error.
func explainSubject(
	ctx context.Context,
	s *userpkg.Subject,
	m userpkg.MeasureOptions,
	within userpkg.Scope,
) (*explanation, error) {
	found, err := s.Explain(ctx, m, within)
	if found == nil {
		return nil, err
	}
	p := s.Package
	e := &explanation{verdict: found.Verdict, files: s.Files, benchmarks: s.Built.Benchmarks, others: found.Others,
		module: p.ModulePath, folders: map[string]string{}}
	e.folder, _ = repositoryFolder(p, p.Dir)
	for path, dir := range found.Dirs {
		if folder, ok := repositoryFolder(p, dir); ok {
			e.folders[path] = folder
		}
	}
	return e, err
}

// repositoryFolder returns the slash-separated path of a folder from the root of a package's repository or module, and
// whether it is in there.
func repositoryFolder(p *userpkg.Package, dir string) (path string, ok bool) {
	folder, err := filepath.Rel(repositoryRoot(p.ModuleDir), dir)
	if p.ModuleDir == "" || err != nil || !filepath.IsLocal(folder) {
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
