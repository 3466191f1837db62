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

// A pack holds the compiled packages that programs are built against: the packages that they may import, the
// dependencies of these, and the packages that a check adds.
type pack struct {
	packages []compilelink.Package
	godebug  string // the default GODEBUG settings of a program of the workbook
}

// A packHeader is the first line of a pack's file. The archives follow in its order, without anything between them.
type packHeader struct {
	Packages []packed `json:"packages"`
}

type packed struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

// jsOnly are packages that programs may not import although they are public, since they exist only for js/wasm.
var jsOnly = []string{"syscall/js"}

// standard returns the import paths, out of paths, of packages of the standard library that programs may import.
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
	list, err := compilelink.ReadList(string(out))
	return pack{list.Packages, list.GODEBUG}, err
}

// file returns the content of the pack's file.
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

// imports lists, in order, the packages of the pack that programs may import.
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
