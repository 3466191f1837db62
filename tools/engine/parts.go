package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A part is one file of the engine.
type part struct {
	name string // in the manifest
	file string // without the hash of its content
	// make writes the part to a file, which may have an earlier build of it.
	make func(ctx context.Context, file string) error
	// change returns what pages fetch, given what make has written. It is nil if that is the same.
	change func(text []byte) ([]byte, error)
}

// parts returns the parts in the order in which to build them: first the ones that take longest to compress.
func (w *partBuilder) parts(std pack) ([]*part, error) {
	compile, err := w.tool("compile", trimmedCompiler)
	if err != nil {
		return nil, err
	}
	link, err := w.tool("link", trimmedLinker)
	if err != nil {
		return nil, err
	}
	page := &part{"page", "page.wasm", func(ctx context.Context, file string) error {
		_, err := w.run(ctx, w.root, slices.Concat(buildCommand, []string{"-o", file, "./tools/engine/page"})...)
		return err
	}, importMemory}
	archives, err := std.file()
	if err != nil {
		return nil, err
	}
	exec, err := os.ReadFile(filepath.Join(w.goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("%w: this Go lacks it; install Go from https://go.dev/dl/", err)
	}
	return []*part{compile, content("std", "std.pack", archives), link, page,
		content("exec", "wasm_exec.js", exec)}, nil
}

// content returns a part whose content is known.
func content(name, file string, text []byte) *part {
	return &part{name, file, func(_ context.Context, file string) error { return os.WriteFile(file, text, 0o644) }, nil}
}

// buildCommand omits everything that names this machine or that only a debugger reads. -pgo=off disables the compiler's
// own profile: with it, the go command would compile the compiler's dependencies in the standard library a second time,
// to larger code.
var buildCommand = []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-pgo=off"}

// tool returns a tool of the distribution, without the code that trimmed leaves out of the distribution's sources.
func (w *partBuilder) tool(name string, trimmed map[string][]edit) (*part, error) {
	src := filepath.Join(w.goroot, "src")
	if _, err := os.Stat(filepath.Join(src, "cmd", name)); err != nil {
		return nil, fmt.Errorf("%w: this Go lacks the sources of its tools; install Go from https://go.dev/dl/", err)
	}
	file := name + ".wasm"
	whole := func(reason string, err error) {
		w.printf("%s: built with all architectures, because %s: %v\n", file, reason, err)
	}
	left, err := trim(os.DirFS(src), trimmed)
	if err != nil {
		whole("this release's source differs from the expected", err)
	}
	return &part{name, file, func(ctx context.Context, file string) error {
		args := slices.Concat(buildCommand, []string{"-o", file})
		list, err := left.write(w.temp, w.goroot)
		if err != nil {
			return err
		}
		dir := filepath.Dir(list)
		_, err = w.withoutModules(dir).run(ctx, dir, slices.Concat(args, []string{"-overlay", list, "cmd/" + name})...)
		if err != nil && ctx.Err() == nil && len(left) > 0 {
			whole("the trimmed source does not build", err)
			_, err = w.run(ctx, w.root, append(args, "cmd/"+name)...)
		}
		return err
	}, importMemory}, nil
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
