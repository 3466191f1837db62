package build

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// stripFlags are the linker's flags that leave out debug information.
const stripFlags = "-s -w"

// linkFlags are the linker's flags for every program of an Isolated. They also set GOROOT, in which a program finds
// time zones.
const linkFlags = stripFlags + " -X=runtime.defaultGOROOT=/usr/local/go"

// compilelink returns the toolchain that plans builds with the archives and without the go command.
func (r release) compilelink(p platform, a *compilelink.Archives, linkFlags string) compilelink.Toolchain {
	return compilelink.Toolchain{
		Go: goVersion(r.version), GOOS: p.goos, GOARCH: p.goarch,
		Archives: a, LinkFlags: strings.Fields(linkFlags),
		Concurrency: min(4, runtime.GOMAXPROCS(0)), // as with the go command
	}
}

// tools are the compiler and the linker of a release.
type tools struct {
	dir          string // GOTOOLDIR
	env          []string
	archiveCache *archiveCache
}

// A machine is a compilelink.CachingMachine: it runs tools as processes for a job, and caches archives.
type machine struct {
	job   *job
	tools tools
}

func (m machine) Path(name string) string { return filepath.Join(m.job.dir, filepath.FromSlash(name)) }

func (m machine) Write(name string, text []byte) error { return writeFile(m.job.dir, name, text) }

func (m machine) Run(ctx context.Context, tool string, args ...string) (execution.ToolResult, error) {
	name := executable(filepath.Join(m.tools.dir, tool), runtime.GOOS)
	return m.job.limits.run(ctx, m.job.source(), toolEnviron(m.tools.env, m.job.dir), name, args...)
}

func (m machine) Read(name string) ([]byte, error) { return os.ReadFile(m.Path(name)) }

func (m machine) Restore(key compilelink.Key, name string) bool {
	return m.tools.archiveCache.restore(key, m.Path(name))
}

func (m machine) Store(key compilelink.Key, name string) {
	m.tools.archiveCache.store(key, m.Path(name))
}
