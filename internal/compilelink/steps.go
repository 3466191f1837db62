package compilelink

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// steps are the commands of a build. What one compiles those after it find; after one that failed nothing is done.
type steps struct {
	Toolchain
	machine   Machine
	importcfg string // the file that names all archives so far
	text      []byte // what is in it
	info      []byte // what the linker finds there too
	archive   string // the last one's
	outcome   Result
	err       error
}

// begin begins a build that, when it links, reads what is in info.
func (t Toolchain) begin(m Machine, info []byte) *steps {
	return &steps{Toolchain: t, machine: m, importcfg: t.Archives.ImportConfig, text: slices.Clip(t.Archives.text), info: info, outcome: Result{OK: true}}
}

// write writes a file of the build's.
func (s *steps) write(name string, text []byte) {
	if s.err == nil {
		s.err = s.machine.Write(name, text)
	}
}

// compile compiles a unit. The arguments are those that "go build -trimpath" hands to the compiler.
func (s *steps) compile(ctx context.Context, u unit, banner string, flags ...string) {
	archive := fmt.Sprintf("%d.a", len(s.text))
	s.archive = s.machine.Path(archive)
	args := slices.Concat([]string{"-o", s.archive, "-trimpath", s.machine.Path(path.Join(Source, u.dir)) + "=>" + u.module,
		"-p", u.importPath, "-lang=go" + u.language, "-complete", "-dwarf=false", fmt.Sprintf("-c=%d", s.Concurrency)},
		flags, []string{"-nolocalimports", "-importcfg", s.importcfg, "-pack"})
	for _, name := range u.files {
		args = append(args, "."+string(filepath.Separator)+filepath.Join(filepath.FromSlash(u.dir), name))
	}
	s.run(ctx, banner, "compile", args...)
	s.text = fmt.Appendf(s.text, "packagefile %s=%s\n", u.importPath, s.archive)
	list := s.text
	if u.importPath == "main" { // which is the last: the linker reads this list
		list = slices.Concat(list, s.info)
	}
	s.importcfg = s.machine.Path(archive + ".importcfg")
	s.write(archive+".importcfg", list)
}

// buildID is in the place of the hashes of which the go command makes a build's identity; with one as long all addresses in a
// program are those that they are there.
var buildID = strings.Repeat("-", 83)

// link links the main package that was compiled last.
func (s *steps) link(ctx context.Context, banner string, flags ...string) {
	s.run(ctx, banner, "link", slices.Concat([]string{"-o", s.machine.Path(Binary), "-importcfg", s.importcfg, "-buildmode=exe", "-buildid=" + buildID},
		s.LinkFlags, flags, []string{s.archive})...)
}

// run runs a tool of the toolchain, with the line before its output that the go command puts there.
func (s *steps) run(ctx context.Context, banner, tool string, args ...string) {
	if s.err != nil || !s.outcome.OK {
		return
	}
	var o Result
	o, s.err = s.machine.Run(ctx, tool, args...)
	if len(o.Output) > 0 {
		o.Output = slices.Concat([]byte("# "+banner+"\n"), bytes.TrimSuffix(o.Output, []byte("\n")), []byte("\n"))
	}
	o.Output = slices.Concat(s.outcome.Output, o.Output)
	s.outcome = o
}
