package build

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"

	"onthestack/internal/compilelink"
)

// tools are the compiler and the linker of a release.
type tools struct {
	dir    string // where they are: GOTOOLDIR
	env    []string
	limits Limits
}

// A machine runs tools as processes, for a build in the folder dir.
type machine struct {
	tools
	dir string
}

// Path implements compilelink.Machine.
func (m machine) Path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

// Write implements compilelink.Machine.
func (m machine) Write(name string, text []byte) error { return write(m.dir, name, text) }

// Run implements compilelink.Machine.
func (m machine) Run(ctx context.Context, tool string, args ...string) (compilelink.Result, error) {
	command := filepath.Join(m.tools.dir, tool)
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	return m.limits.run(ctx, m.Path(compilelink.Source), append(slices.Clip(m.env), "GOROOT=", "TMPDIR="+m.dir), command, args...)
}

// concurrency is how many functions the compiler works on at once, as the go command has it.
func concurrency() int { return min(4, runtime.GOMAXPROCS(0)) }
