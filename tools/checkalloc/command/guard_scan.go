package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/budget"
	"onthestack/internal/owncode/userpkg"
	"onthestack/tools/checkalloc/app"
)

// A guardedPackage is a package with the directives in its files.
type guardedPackage struct {
	path       string // import path
	directives []budget.Directive
	excluded   []budget.Directive // in files that build constraints leave out
	mistakes   []budget.Finding
}

// guardedPackages returns the packages that the patterns name, as the go command in dir understands them, with their
// directives.
func guardedPackages(ctx context.Context, dir, tags string, patterns []string) ([]guardedPackage, error) {
	all, err := userpkg.Config{Dir: dir, Tags: tags}.List(ctx, patterns...)
	if err != nil {
		return nil, asUsage(err)
	}
	for _, l := range all {
		switch {
		case l.ImportPath == "command-line-arguments":
			return nil, app.Usagef("guard takes packages, such as ./..., not files")
		case l.Error != nil && len(l.Files())+len(l.IgnoredGoFiles) == 0:
			return nil, app.UsageError(l.Error.Err)
		}
	}
	more, err := excludedPackages(ctx, dir, tags, patterns, all)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	if len(all) == 0 {
		return nil, app.Usagef("no package matches %s", strings.Join(patterns, " "))
	}
	packages := make([]guardedPackage, len(all))
	for i, l := range all {
		packages[i].path = l.ImportPath
		if err := packages[i].read(dir, l); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// read reads the directives of a package's files.
func (p *guardedPackage) read(dir string, l userpkg.Metadata) error {
	files, err := l.Sources()
	if err != nil {
		return err
	}
	for i, name := range slices.Concat(l.Files(), l.IgnoredGoFiles) {
		found, mistakes := parseFile(dir, filepath.Join(l.Dir, name), files[name])
		p.mistakes = append(p.mistakes, mistakes...)
		if i < len(l.Files()) {
			p.directives = append(p.directives, found...)
		} else {
			p.excluded = append(p.excluded, found...)
		}
	}
	return nil
}

// parseFile reads the directives of a file. They name it by the shorter of its path and its path from dir.
func parseFile(dir, file string, text []byte) ([]budget.Directive, []budget.Finding) {
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		file = rel
	}
	return budget.Parse(file, text)
}

// excludedPackages lists the packages below patterns "./…/..." all of whose files are excluded by build constraints.
// The go command does not match these, and guard must not report their directives as kept.
func excludedPackages(
	ctx context.Context,
	dir, tags string,
	patterns []string,
	known []userpkg.Metadata,
) ([]userpkg.Metadata, error) {
	seen := map[string]bool{}
	for _, l := range known {
		seen[l.Dir] = true
	}
	var folders []string
	for _, pattern := range patterns {
		below, ok := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
		if !ok || strings.Contains(below, "...") || !strings.HasPrefix(below, ".") {
			continue
		}
		root := filepath.Join(dir, filepath.FromSlash(below))
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch folder := filepath.Dir(name); {
			case name == root && errors.Is(err, fs.ErrNotExist):
				return nil // the go command has reported it
			case err != nil:
				return err
			case entry.IsDir():
				if name != root && skipped(name, entry.Name()) {
					return filepath.SkipDir
				}
			case !seen[folder] && filepath.Ext(name) == ".go":
				seen[folder] = true
				folders = append(folders, folder)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	all, err := userpkg.Config{Dir: dir, Tags: tags}.List(ctx, folders...)
	// A folder with other files was not matched by the pattern for another reason.
	return slices.DeleteFunc(all, func(l userpkg.Metadata) bool {
		return len(l.Files()) > 0 || len(l.IgnoredGoFiles) == 0
	}), err
}

// skipped reports whether the pattern "..." leaves a folder out: the go command does not look for packages of the
// module there.
func skipped(folder, name string) bool {
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}
