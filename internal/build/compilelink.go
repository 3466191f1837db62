package build

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// linkFlags are the linker's flags for every program of an Isolated: they leave out debug information, and set GOROOT,
// in which a program finds time zones.
const linkFlags = "-s -w -X=runtime.defaultGOROOT=/usr/local/go"

// toolMemory is the memory in bytes that a process of the toolchain uses before it collects garbage. Few processes need
// as much, and without a garbage collection hello world links in a sixth less time.
const toolMemory = 256 << 20

// toolSettings set the garbage collector of the compiler and the linker.
var toolSettings = []string{"GOGC=off", "GOMEMLIMIT=" + strconv.Itoa(toolMemory)}

// tools are the compiler and the linker of a release.
type tools struct {
	dir          string // GOTOOLDIR
	env          []string
	limits       Limits
	archiveCache *archiveCache // nil for none
}

// A machine runs tools as processes, for a build in the folder dir.
type machine struct {
	tools
	dir string
}

// Path implements compilelink.Machine.
func (m machine) Path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

// Write implements compilelink.Machine.
func (m machine) Write(name string, text []byte) error { return writeFile(m.dir, name, text) }

// Run implements compilelink.Machine.
func (m machine) Run(ctx context.Context, tool string, args ...string) (execution.ToolResult, error) {
	name := filepath.Join(m.tools.dir, tool)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	env := slices.Concat(m.env, []string{"GOROOT=", "TMPDIR=" + m.dir})
	return m.limits.run(ctx, m.Path(compilelink.Source), env, name, args...)
}

// A cachingMachine is a machine that caches archives for later builds.
type cachingMachine struct{ machine }

// Read implements compilelink.CachingMachine.
func (m cachingMachine) Read(name string) ([]byte, error) { return os.ReadFile(m.Path(name)) }

// Restore implements compilelink.CachingMachine.
func (m cachingMachine) Restore(key compilelink.Key, name string) bool {
	return m.archiveCache.restore(key, m.Path(name))
}

// Store implements compilelink.CachingMachine.
func (m cachingMachine) Store(key compilelink.Key, name string) {
	m.archiveCache.store(key, m.Path(name))
}

// concurrency returns the number of functions that the compiler compiles concurrently, the same as with the go command.
func concurrency() int { return min(4, runtime.GOMAXPROCS(0)) }
