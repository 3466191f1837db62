package heapprofile

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/userpkg"
)

// packages are the packages whose lines are shown.
type packages struct {
	modules []userpkg.Module
	byPath  map[string]userpkg.Metadata
}

// has reports whether the lines of the frame's package are shown.
func (p *packages) has(f frame) bool {
	_, ok := p.byPath[f.pkg]
	return ok && f.written()
}

// file returns the name of a file for the reader: relative to the root, if its module is being worked on.
func (p *packages) file(pkg, name string) string {
	meta := p.byPath[pkg]
	for _, m := range p.modules {
		if m.Path == meta.Module.Path && m.Dir != "" {
			if folder, err := filepath.Rel(p.root(), meta.Dir); err == nil && filepath.IsLocal(folder) {
				return path.Join(filepath.ToSlash(folder), name)
			}
		}
	}
	return path.Join(pkg, name)
}

// root returns the folder of the module that is being worked on or, of several, the innermost folder that has all: files
// of two modules may have the same name in both.
func (p *packages) root() (root string) {
	for _, m := range p.modules {
		if root == "" {
			root = m.Dir
		}
		for m.Dir != "" && !userpkg.Within(root, m.Dir) && filepath.Dir(root) != root {
			root = filepath.Dir(root)
		}
	}
	return root
}

// inModules reports whether an import path may be of one of the modules.
func (p *packages) inModules(importPath string) bool {
	return slices.ContainsFunc(p.modules, func(m userpkg.Module) bool {
		return importPath == m.Path || strings.HasPrefix(importPath, m.Path+"/")
	})
}

// maxListed is how many packages one go command is asked for, since the length of a command line has limits.
const maxListed = 500

// listPackages asks the go command for the packages of the profiles whose lines are shown. It returns the framer for the
// profiles, because the import path of package main is not in them.
func listPackages(ctx context.Context, o Options, profiles ...*Profile) (*packages, *framer, error) {
	found := &packages{byPath: map[string]userpkg.Metadata{}}
	var err error
	if found.modules, err = o.Config.Modules(ctx); err != nil {
		return nil, nil, err
	}
	main := "main"
	if o.Binary != nil && o.Binary.Main != "" && o.Binary.Main != "command-line-arguments" {
		main = o.Binary.Main
	} else if folders := mainFolders(profiles...); len(folders) > 0 {
		if main, err = found.findMain(ctx, o.Config, folders); err != nil {
			return nil, nil, err
		}
	}
	f := newFramer(main, profiles...)
	if len(o.Patterns) > 0 {
		listed, err := o.Config.List(ctx, o.Patterns...)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range listed {
			if m.Error != nil && len(m.Files()) == 0 {
				return nil, nil, argumentError(m, o.Patterns)
			}
			found.byPath[m.ImportPath] = m
		}
		return found, f, nil
	}
	paths := map[string]bool{}
	for _, p := range profiles {
		for _, l := range p.data.Location {
			for _, at := range f.at(l).frames {
				if !at.isRuntime() && (o.Deps || found.inModules(at.pkg)) && at.pkg != "main" {
					paths[at.pkg] = true
				}
			}
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(paths)), maxListed) {
		listed, err := o.Config.List(ctx, some...)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range listed {
			main := slices.ContainsFunc(found.modules, func(o userpkg.Module) bool { return o.Path == m.Module.Path })
			if m.Error == nil && len(m.Files()) > 0 && (main || o.Deps) {
				found.byPath[m.ImportPath] = m
			}
		}
	}
	return found, f, nil
}

// argumentError returns the error for a pattern that names no package.
func argumentError(m userpkg.Metadata, patterns []string) error {
	return userpkg.NewArgumentError(strings.Join(patterns, " ") + ": " + strings.TrimSpace(m.Error.Err))
}

// findMain returns the import path of the package main that has the profile's files, "main" if there is none. A folder
// is an import path if the program was built with -trimpath. Otherwise the folder of a package of the module is the end
// of the folder's name on the machine that built the program.
func (p *packages) findMain(ctx context.Context, config userpkg.Config, folders map[string][]string) (string, error) {
	var patterns []string
	for _, m := range p.modules {
		patterns = append(patterns, path.Join(m.Path, "..."))
	}
	listed, err := config.List(ctx, patterns...)
	if err != nil {
		return "", err
	}
	best, length := "main", -1
	for _, m := range listed {
		if m.Name != "main" {
			continue
		}
		below := "" // the folder of its module
		for _, module := range p.modules {
			if module.Path == m.Module.Path {
				below = strings.TrimPrefix(strings.TrimPrefix(m.ImportPath, module.Path), "/")
			}
		}
		for folder, files := range folders {
			if folder == m.ImportPath {
				return m.ImportPath, nil
			}
			has := !slices.ContainsFunc(files, func(name string) bool { return !slices.Contains(m.Files(), name) })
			if has && strings.HasSuffix(folder, "/"+below) || has && below == "" {
				if len(below) > length {
					best, length = m.ImportPath, len(below)
				}
			}
		}
	}
	return best, nil
}
