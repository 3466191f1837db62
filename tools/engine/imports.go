package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/harness"
)

// programs are the files and folders, beside exercises, with programs that a page compiles: the book's listings,
// programs that pages show and a reader may open, and the editor's examples.
var programs = []string{"book", "site/content", "web/src/play/examples.ts"}

// listings is in the path of a Go file of the book that a reader may run. Others are the book's own tests.
const listings = "/listings/"

// imports returns, in order, the import paths that exercises and listings import, and the ones that readers may import.
// They may include the workbook's own packages and strings that are not packages; the caller has to leave these out.
func imports(root string) ([]string, error) {
	all := map[string]bool{}
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, err
	}
	for _, e := range catalog {
		for _, path := range e.Dependencies() {
			all[path] = true
		}
	}
	byFolder := map[string][]string{}
	for _, place := range programs {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(place)),
			func(name string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				paths, err := importsOf(name)
				byFolder[filepath.Dir(name)] = append(byFolder[filepath.Dir(name)], paths...)
				return err
			})
		if err != nil {
			return nil, fmt.Errorf("read what programs import: %w", err)
		}
	}
	for _, paths := range byFolder {
		if slices.Contains(paths, "net/http") {
			continue // only a clone can run a server
		}
		for _, path := range paths {
			all[path] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// importLine matches an import in a program that is part of another text.
var importLine = regexp.MustCompile(`(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([a-z0-9/]+)"$`)

func importsOf(name string) (paths []string, err error) {
	ext := path.Ext(name)
	isListing := ext == ".go" && strings.Contains(filepath.ToSlash(name), listings)
	if !isListing && ext != ".md" && ext != ".ts" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if isListing {
		if paths, err = harness.Imports(name, text); slices.Contains(paths, "os/exec") {
			return nil, nil // it is a test of the book, since a program in a page cannot run other programs
		}
		return paths, err
	}
	for _, found := range importLine.FindAllSubmatch(text, -1) {
		paths = append(paths, string(found[1]))
	}
	return paths, nil
}
