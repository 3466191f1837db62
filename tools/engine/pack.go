package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/compilelink"
)

// A pack holds the compiled packages that programs are built against: those that they may import, all that these need,
// and what a check adds.
type pack struct {
	packages []compilelink.Package
	godebug  string // what a program of the workbook has as its defaults
}

// A packHeader is the first line of a pack's file. The archives follow, one after the other, in its order.
type packHeader struct {
	Packages []packed `json:"packages"`
}

type packed struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

// jsOnly are public packages that programs may not import: they are there for js/wasm alone.
var jsOnly = []string{"syscall/js"}

// standard returns those of the import paths that are packages of the standard library which programs may import.
func (g *golang) standard(ctx context.Context, root string, paths []string) ([]string, error) {
	out, err := g.run(ctx, root, "list", "std")
	if err != nil {
		return nil, err
	}
	std := strings.Fields(string(out))
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return !slices.Contains(std, path) || !public(path)
	}), nil
}

// public reports whether programs may import a package of the pack.
func public(path string) bool {
	within := "/" + path + "/"
	return !strings.Contains(within, "/internal/") && !strings.Contains(within, "/vendor/") &&
		!slices.Contains(jsOnly, path) &&
		!strings.HasPrefix(path, "onthestack/")
}

// pack compiles what programs import, as the runner does for its own builds.
func (g *golang) pack(ctx context.Context, imports []string) (p pack, err error) {
	dir, err := os.MkdirTemp("", "engine-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	files, err := compilelink.Trusted(imports)
	if err != nil {
		return p, err
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
			return p, err
		}
	}
	out, err := g.run(ctx, dir, compilelink.ListArguments()...)
	if err != nil {
		return p, err
	}
	p.packages, p.godebug, err = compilelink.ReadList(string(out))
	return p, err
}

// file is the text of the pack's file.
func (p pack) file() ([]byte, error) {
	var header packHeader
	var archives bytes.Buffer
	for _, pkg := range p.packages {
		text, err := os.ReadFile(pkg.Archive)
		if err != nil {
			return nil, fmt.Errorf("the archive of %s: %w", pkg.Path, err)
		}
		header.Packages = append(header.Packages, packed{pkg.Path, len(text)})
		archives.Write(text)
	}
	text, err := json.Marshal(header)
	return slices.Concat(text, []byte("\n"), archives.Bytes()), err
}

// imports lists what programs may import of the pack, in order.
func (p pack) imports() []string {
	paths := []string{"unsafe"}
	for _, pkg := range p.packages {
		if public(pkg.Path) {
			paths = append(paths, pkg.Path)
		}
	}
	slices.Sort(paths)
	return paths
}
