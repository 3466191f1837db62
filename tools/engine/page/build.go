//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// A manifest is the part of the engine's manifest that this program needs; see tools/engine.
type manifest struct {
	Go      string   `json:"go"`
	GODebug string   `json:"godebug"`
	Imports []string `json:"imports"`
}

// A builder builds with the compiled packages that came with the engine. It implements verdict.Builder and
// programs.Builder.
type builder struct {
	compilelink.Toolchain
	machine  machine
	archives map[string]string // the names of archives by import path
}

// importConfig is the file that lists the compiled packages for the compiler and the linker.
const importConfig = "/std/importcfg"

func newBuilder() (*builder, error) {
	var m manifest
	if err := json.Unmarshal([]byte(host().Get("manifest").String()), &m); err != nil {
		return nil, fmt.Errorf("read the engine's manifest: %w", err)
	}
	list := host().Get("archives")
	compiled := compilelink.List{GODEBUG: m.GODebug}
	archives := map[string]string{}
	for i := range list.Length() {
		path, file := list.Index(i).Get("path").String(), list.Index(i).Get("file").String()
		compiled.Packages = append(compiled.Packages, compilelink.Package{Path: path, Archive: file})
		archives[path] = file
	}
	a, err := compiled.Archives(m.Imports)
	if err != nil {
		return nil, err
	}
	if _, err := call("write", importConfig, bytesOf(a.Text())); err != nil {
		return nil, err
	}
	a.ImportConfig = importConfig
	return &builder{archives: archives, Toolchain: compilelink.Toolchain{
		Go: m.Go, GOOS: "js", GOARCH: "wasm", Archives: a, LinkFlags: []string{"-s", "-w"}, Concurrency: 1,
	}}, nil
}

// BuildTest implements verdict.Builder.
func (b *builder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	return b.run(ctx, src, b.Test, compilelink.Plan.Build, b.next)
}

// Build implements programs.Builder.
func (b *builder) Build(ctx context.Context, src execution.Source) (*execution.Build, error) {
	return b.run(ctx, src, b.Program, compilelink.Plan.Build, b.next)
}

// Report implements programs.Builder.
func (b *builder) Report(ctx context.Context, src execution.Source) (*execution.Build, error) {
	return b.run(ctx, src, b.Program, compilelink.Plan.Report, b.next)
}

// HasHarness implements programs.Builder. The harness is among the archives, and there is no go command.
func (b *builder) HasHarness(execution.Source) bool { return true }

// A reporter is a builder that compiles for a report in a second worker, while this one builds and runs.
type reporter struct{ *builder }

// Report implements programs.Builder.
func (r reporter) Report(ctx context.Context, src execution.Source) (*execution.Build, error) {
	second := func() (compilelink.Machine, error) { return newSecondMachine(r.archives), nil }
	return r.run(ctx, src, r.Program, compilelink.Plan.Report, second)
}

// run plans a build, and makes it with a machine. A program that cannot be built gets the reason as output.
func (b *builder) run(ctx context.Context, src execution.Source,
	plan func(execution.Source) (compilelink.Plan, bool),
	build func(compilelink.Plan, context.Context, compilelink.Machine) (execution.ToolResult, error),
	machine func() (compilelink.Machine, error),
) (*execution.Build, error) {
	if why := compilelink.Refuse(src); why != "" {
		return b.build(execution.ToolResult{Output: []byte(why)}), nil
	}
	planned, ok := plan(src)
	if !ok {
		return b.refused(src.Files), nil
	}
	m, err := machine()
	if err != nil {
		return nil, err
	}
	outcome, err := build(planned, ctx, m)
	if err != nil {
		return nil, err
	}
	return b.build(outcome), nil
}

// next returns the machine of the next build in the worker's memory.
func (b *builder) next() (compilelink.Machine, error) {
	b.machine.even = !b.machine.even
	return b.machine, b.machine.clear()
}

func (b *builder) build(o execution.ToolResult) *execution.Build {
	built := &execution.Build{
		OK: o.OK, Output: o.Output, Stop: o.Stop, Go: b.Go, GOOS: b.GOOS, GOARCH: b.GOARCH,
		Close: func() error { return nil },
	}
	if o.OK {
		built.Binary = b.machine.Path(compilelink.Binary)
	}
	return built
}

// own is the prefix of the import paths of the workbook's packages: a check's tests import the exercise and the
// harness.
const module = "onthestack/"

// refused returns the result for a program that only the go command can build, which does not exist in a page. It names
// the reason: the first import that is missing, if that is one.
func (b *builder) refused(files map[string][]byte) *execution.Build {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, "./"+name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return b.build(execution.ToolResult{Output: []byte(err.Error() + "\n")})
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err == nil && !b.Archives.Public(imported) && !strings.HasPrefix(imported, module) {
				return b.build(execution.ToolResult{Output: fmt.Appendf(nil,
					"%s: package %s is not among the packages that this page can compile with: run it on a server, or "+
						"in the clone\n",
					positions.Position(spec.Pos()), imported)})
			}
		}
	}
	return b.build(execution.ToolResult{Output: []byte("the page builds only one package of Go files without build " +
		"constraints, //go:embed and //go:debug: this program needs the go command, on a server or in the clone\n")})
}
