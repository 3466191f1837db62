package compilelink

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/execution"
)

// steps runs the commands of a build. Each command finds the packages that earlier commands compiled. After a command
// that fails, the others do nothing.
type steps struct {
	Plan
	machine   Machine
	importcfg string   // the name of the file that lists all archives so far
	text      []byte   // its content
	archives  []string // the names of the archives so far
	result    execution.ToolResult
	err       error
}

// begin starts a build and writes the files of its units.
func (p Plan) begin(m Machine) *steps {
	a := p.toolchain.Archives
	s := &steps{Plan: p, machine: m, importcfg: a.ImportConfig, text: slices.Clip(a.text),
		result: execution.ToolResult{OK: true}}
	for _, u := range p.units {
		for _, name := range u.files {
			name = path.Join(u.dir, name)
			s.write(path.Join(Source, name), p.files[name])
		}
	}
	return s
}

// write writes a file of the build.
func (s *steps) write(name string, text []byte) {
	if s.err == nil {
		s.err = s.machine.Write(name, text)
	}
}

// compile compiles a unit with the arguments that "go build -trimpath" passes to the compiler.
func (s *steps) compile(ctx context.Context, u unit) {
	trim := s.machine.Path(path.Join(Source, u.dir)) + "=>" + u.module
	args := slices.Concat([]string{"-o", s.machine.Path(s.nextArchive()), "-trimpath", trim, "-p", u.importPath,
		"-lang=go" + u.language, "-complete", "-dwarf=false", fmt.Sprintf("-c=%d", s.toolchain.Concurrency)},
		u.flags, []string{"-nolocalimports", "-importcfg", s.importcfg, "-pack"})
	for _, name := range u.files {
		args = append(args, "."+string(filepath.Separator)+filepath.Join(filepath.FromSlash(u.dir), name))
	}
	s.run(ctx, u, "compile", args...)
	s.compiled(u)
}

// nextArchive returns the name of the next unit's archive.
func (s *steps) nextArchive() string { return fmt.Sprintf("%d.a", len(s.archives)) }

// compiled adds the archive of a unit to the archives that the next steps find.
func (s *steps) compiled(u unit) {
	archive := s.nextArchive()
	s.archives = append(s.archives, archive)
	s.text = fmt.Appendf(s.text, "packagefile %s=%s\n", u.importPath, s.machine.Path(archive))
	list := s.text
	if u.importPath == "main" { // the last unit, so the linker reads this list
		list = slices.Concat(list, s.info)
	}
	s.importcfg = s.machine.Path(archive + ".importcfg")
	s.write(archive+".importcfg", list)
}

// buildID replaces the hashes that make up the go command's build ID. It is as long as the hashes, so that all
// addresses in a program are the same as in the go command's program.
var buildID = strings.Repeat("-", 83)

// link links the last unit, which is the main package.
func (s *steps) link(ctx context.Context) {
	s.run(ctx, s.units[len(s.units)-1], "link", slices.Concat(
		[]string{"-o", s.machine.Path(Binary), "-importcfg", s.importcfg, "-buildmode=exe", "-buildid=" + buildID},
		s.toolchain.LinkFlags, s.linkFlags, []string{s.machine.Path(s.archives[len(s.archives)-1])})...)
}

// run runs a tool of the toolchain. Like the go command, it precedes the tool's output by a line that names the
// package.
func (s *steps) run(ctx context.Context, u unit, tool string, args ...string) {
	if s.err != nil || !s.result.OK {
		return
	}
	var o execution.ToolResult
	o, s.err = s.machine.Run(ctx, tool, args...)
	if len(o.Output) > 0 {
		o.Output = slices.Concat([]byte("# "+u.banner+"\n"), bytes.TrimSuffix(o.Output, []byte("\n")), []byte("\n"))
	}
	o.Output = slices.Concat(s.result.Output, o.Output)
	s.result = o
}
