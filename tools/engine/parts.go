package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A part is one file of the engine.
type part struct {
	name string // in the manifest
	file string // without the hash of its content
	key  string // a hash or list of all inputs
	make func(ctx context.Context, name string) error
}

// recipe is part of all keys. Increase it when parts are built in another way that their keys do not reflect.
const recipe = "1"

// parts returns the parts in the order in which to build them: first the ones that take longest to compress.
func (w *partBuilder) parts(ctx context.Context, std pack) ([]*part, error) {
	compile, err := w.tool("compile", trimCompiler)
	if err != nil {
		return nil, err
	}
	link, err := w.tool("link", trimLinker)
	if err != nil {
		return nil, err
	}
	page, err := w.page(ctx)
	if err != nil {
		return nil, err
	}
	archives, err := std.file()
	if err != nil {
		return nil, err
	}
	exec, err := os.ReadFile(filepath.Join(w.goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("%w: this Go lacks it; install Go from https://go.dev/dl/", err)
	}
	parts := []*part{compile, content("std", "std.pack", archives), link, page, content("exec", "wasm_exec.js", exec)}
	compress, err := os.ReadFile(w.cache.script)
	for _, p := range parts {
		p.key = strings.Join([]string{recipe, string(compress), w.version, p.key}, "\n")
	}
	return parts, err
}

// buildFlags omit everything that names this machine or that only a debugger reads. -pgo=off disables the compiler's
// own profile: with it, the go command would compile the compiler's dependencies in the standard library a second time,
// to larger code.
var buildFlags = []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-pgo=off"}

// tool returns a tool of the distribution, without the code that trimmed leaves out of the distribution's sources.
func (w *partBuilder) tool(name string, trimmed func(src fs.FS) (overlay, error)) (*part, error) {
	src := filepath.Join(w.goroot, "src")
	if _, err := os.Stat(filepath.Join(src, "cmd", name)); err != nil {
		return nil, fmt.Errorf("%w: this Go lacks the sources of its tools; install Go from https://go.dev/dl/", err)
	}
	p := &part{name: name, file: name + ".wasm"}
	left, err := trimmed(os.DirFS(src))
	if err != nil {
		w.printf("%s: built with all architectures, because this release's source differs from the expected: %v\n",
			p.file, err)
	}
	var key strings.Builder
	fmt.Fprintln(&key, buildFlags)
	for _, file := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintln(&key, file, hex.EncodeToString(digest(left[file])))
	}
	p.key = key.String()
	p.make = func(ctx context.Context, file string) error {
		args := slices.Concat([]string{"build"}, buildFlags, []string{"-o", file})
		list, remove, err := left.Write(w.goroot)
		if err != nil {
			return err
		}
		defer remove()
		_, err = w.withoutModules(filepath.Dir(list)).run(ctx, filepath.Dir(list),
			slices.Concat(args, []string{"-overlay", list,
				"cmd/" + name})...)
		if err != nil && ctx.Err() == nil && len(left) > 0 {
			w.printf("%s: built with all architectures, because the trimmed source does not build: %v\n", p.file, err)
			p.key += "all architectures" // so that a later build tries again to trim it
			_, err = w.run(ctx, w.root, append(args, "cmd/"+name)...)
		}
		return err
	}
	return p, nil
}

// page returns the part with the program that the page calls.
func (w *partBuilder) page(ctx context.Context) (*part, error) {
	const path = "./tools/engine/page"
	// A package's build ID depends on its own sources, and on the exported part of the packages that it imports. The
	// key therefore has the IDs of all dependencies.
	ids, err := w.run(ctx, w.root, "list", "-deps", "-export", "-trimpath", "-buildvcs=false", "-pgo=off", "-f",
		"{{.BuildID}}", path)
	if err != nil {
		return nil, err
	}
	return &part{name: "page", file: "page.wasm", key: fmt.Sprint(buildFlags, string(ids)),
		make: func(ctx context.Context,
			file string) error {
			_, err := w.run(ctx, w.root, slices.Concat([]string{"build"}, buildFlags, []string{"-o", file, path})...)
			return err
		}}, nil
}

// std compiles the packages that programs import.
func (w *partBuilder) std(ctx context.Context) (pack, error) {
	paths, err := imports(w.root)
	if err != nil {
		return pack{}, err
	}
	if paths, err = w.standard(ctx, w.root, paths); err != nil {
		return pack{}, err
	}
	return w.pack(ctx, paths)
}

// content returns a part whose content is known.
func content(name, file string, text []byte) *part {
	return &part{name: name, file: file, key: hex.EncodeToString(digest(text)), make: func(_ context.Context,
		file string) error {
		return os.WriteFile(file, text, 0o644)
	}}
}
