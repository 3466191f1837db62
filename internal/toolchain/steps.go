package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// tools are the compiler and the linker of a release, for a platform.
type tools struct {
	dir    string // where they are: GOTOOLDIR
	env    []string
	flags  []string // of every program, for the linker
	limits Limits
}

// steps are the commands of a build without the go command. What one compiles those after it find; after one that failed nothing
// is done.
type steps struct {
	tools
	dir       string // of what they write
	source    string // the folder of the module
	importcfg string // the file that names all archives so far
	text      []byte // what is in it
	archive   string // the last one's
	outcome   outcome
	err       error
}

// begin begins a build, in dir, of what is laid out in source, that finds the archives in a and, when it links, reads what is in
// info.
func (t tools) begin(dir, source string, a *archives, info []byte) *steps {
	return &steps{tools: t, dir: dir, source: source, importcfg: a.importcfg, text: append(slices.Clip(a.text), info...), outcome: outcome{ok: true}}
}

// compile compiles a unit. The arguments are those that "go build -trimpath" hands to the compiler.
func (s *steps) compile(ctx context.Context, u unit, banner string, flags ...string) {
	s.archive = filepath.Join(s.dir, fmt.Sprintf("%d.a", len(s.text)))
	args := slices.Concat([]string{"-o", s.archive, "-trimpath", filepath.Join(s.source, filepath.FromSlash(u.dir)) + "=>" + u.module,
		"-p", u.importPath, "-lang=go" + u.language, "-complete", "-dwarf=false", fmt.Sprintf("-c=%d", min(4, runtime.GOMAXPROCS(0)))},
		flags, []string{"-nolocalimports", "-importcfg", s.importcfg, "-pack"})
	for _, name := range u.files {
		args = append(args, "."+string(filepath.Separator)+filepath.Join(filepath.FromSlash(u.dir), name))
	}
	s.run(ctx, banner, "compile", args...)
	s.text = fmt.Appendf(s.text, "packagefile %s=%s\n", u.importPath, s.archive)
	s.importcfg = s.archive + ".importcfg"
	s.err = errors.Join(s.err, os.WriteFile(s.importcfg, s.text, 0o600))
}

// buildID is in the place of the hashes of which the go command makes a build's identity; with one as long all addresses in a
// program are those that they are there.
var buildID = strings.Repeat("-", 83)

// link links the main package that was compiled last.
func (s *steps) link(ctx context.Context, binary, banner string, flags ...string) {
	s.run(ctx, banner, "link", slices.Concat([]string{"-o", binary, "-importcfg", s.importcfg, "-buildmode=exe", "-buildid=" + buildID},
		s.flags, flags, []string{s.archive})...)
}

// run runs a tool of the toolchain, with the line before its output that the go command puts there.
func (s *steps) run(ctx context.Context, banner, tool string, args ...string) {
	if s.err != nil || !s.outcome.ok {
		return
	}
	command := filepath.Join(s.tools.dir, tool)
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	var o outcome
	o, s.err = s.limits.run(ctx, s.source, append(slices.Clip(s.env), "GOROOT=", "TMPDIR="+s.dir), command, args...)
	if len(o.output) > 0 {
		o.output = slices.Concat([]byte("# "+banner+"\n"), bytes.TrimSuffix(o.output, []byte("\n")), []byte("\n"))
	}
	o.output = slices.Concat(s.outcome.output, o.output)
	s.outcome = o
}
