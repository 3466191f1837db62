package compilelink

import (
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"runtime/debug"
	"strings"

	"onthestack/internal/execution"
)

// A ProgramPlan says how a program, or its test binary, is built.
type ProgramPlan struct {
	toolchain Toolchain
	files     map[string][]byte
	unit      unit
	tests     bool            // whether the unit has the tests, and a main package of its own runs them
	imports   map[string]bool // what the program may import
	flags     []string        // of the compiler
}

// Program plans the build of a program's root package without its tests or, with src.Test, of its tests, which must be
// in its root folder and in package main. ok is false if only the go command can build it.
func (t Toolchain) Program(src execution.Source) (_ ProgramPlan, ok bool) {
	plan, tests, ok := t.root(src)
	switch {
	case !ok:
		return ProgramPlan{}, false
	case src.Test:
		return t.testProgram(plan, tests)
	case !plan.complete(&plan.unit):
		return ProgramPlan{}, false
	}
	// "go build" does not compile tests, but it reads their package clauses and imports.
	if len(tests.files) > 0 && (!plan.complete(&tests) || strings.TrimSuffix(tests.name, "_test") != "main") {
		return ProgramPlan{}, false
	}
	return plan, plan.unit.name == "main"
}

// root plans the build of the package in a program's root, and returns the files of its tests apart.
func (t Toolchain) root(src execution.Source) (plan ProgramPlan, tests unit, ok bool) {
	module, ok := t.plainModule(src.Files["go.mod"])
	if !ok || len(src.Experiments) > 0 || t.Archives.ImportConfig == "" {
		return plan, tests, false
	}
	plan = ProgramPlan{
		toolchain: t, files: src.Files, unit: unit{importPath: "main", module: module, language: t.Language()},
		imports: t.Archives.public,
	}
	if src.NoInlining {
		plan.flags = []string{"-l"}
	}
	if src.Harness {
		plan.imports = t.Archives.listed
	}
	for name := range src.Files {
		switch {
		case !strings.HasSuffix(name, ".go"):
		case strings.Contains(name, "/"):
			return plan, tests, false
		case isTestFile(name):
			tests.files = append(tests.files, name)
		default:
			plan.unit.files = append(plan.unit.files, name)
		}
	}
	return plan, tests, true
}

func (p ProgramPlan) complete(u *unit) bool {
	return u.complete(func(name string) []byte { return p.files[name] }, p.imports)
}

// Build compiles and links the program as "go build" does, or its tests as "go test -c" does.
func (p ProgramPlan) Build(ctx context.Context, m Machine) (execution.ToolResult, error) {
	if p.tests {
		return p.buildTests(ctx, m)
	}
	s := p.begin(m)
	s.compile(ctx, p.unit, p.unit.module, p.flags...)
	s.link(ctx, p.unit.module)
	return s.result, s.err
}

// Report compiles the program with the escape report (-m=2), and links nothing.
func (p ProgramPlan) Report(ctx context.Context, m Machine) (execution.ToolResult, error) {
	s := p.begin(m)
	s.compile(ctx, p.unit, p.unit.module, "-m=2")
	return s.result, s.err
}

// begin writes the Go files of the program.
func (p ProgramPlan) begin(m Machine) *steps {
	s := p.toolchain.begin(m, p.buildInfo())
	for _, name := range p.unit.files {
		s.write(path.Join(Source, name), p.files[name])
	}
	return s
}

// The linker puts the build information between these markers, where runtime/debug.ReadBuildInfo finds it.
var infoStart, infoEnd = unhex("3077af0c9274080241e1c107e6d618e6"), unhex("f932433186182072008242104116d8f2")

func unhex(s string) string {
	b, _ := hex.DecodeString(s)
	return string(b)
}

// buildInfo returns the build information that the go command passes to the linker.
func (p ProgramPlan) buildInfo() []byte {
	info := debug.BuildInfo{Path: p.unit.module, Main: debug.Module{Path: p.unit.module, Version: "(devel)"}}
	for _, s := range [][2]string{{"-buildmode", "exe"}, {"-compiler", "gc"}, {"-trimpath", "true"},
		{"CGO_ENABLED", "0"},
		{"GOARCH", p.toolchain.GOARCH}, {"GOOS", p.toolchain.GOOS}} {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: s[0], Value: s[1]})
	}
	return fmt.Appendf(nil, "modinfo %q\n", infoStart+info.String()+infoEnd)
}
