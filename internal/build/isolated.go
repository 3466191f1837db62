package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// An Isolated toolchain builds what strangers send, for wasip1/wasm, in a folder of its own and under the limits of the
// operating system. What it compiles of a stranger's is seen by no other build, and no file of the machine is shown by one.
//
// Most programs are one package main over the standard library. Those it compiles and links itself, against the archives that
// Prepare listed; hello world then takes half the time of "go build". All others it gives to the go command, and what it does
// itself has the same answer.
//
// It is safe for concurrent use.
type Isolated struct {
	limits  Limits
	options IsolatedOptions
	folder  *folder
	release isolatedRelease

	builds   atomic.Int64
	archives atomic.Pointer[compilelink.Archives]
	// prepared holds the import paths that were asked for, under preparing, which is taken to replace archives.
	preparing lock
	prepared  map[string]bool
	caches    caches
	std       atomic.Pointer[[]string] // nil until it was asked for
}

// IsolatedOptions are what an Isolated toolchain may do.
type IsolatedOptions struct {
	// Modules lets programs use modules of third parties, which the go command fetches through the machine's own proxy setting,
	// and never from their own hosts.
	Modules bool
	// CommandOnly has the go command build everything; for comparing.
	CommandOnly bool
}

// An isolatedRelease is the Go release that builds, and settings of this machine's.
type isolatedRelease struct {
	version, goroot, tools   string
	proxy, sumdb, unverified string // GOPROXY without "direct", GOSUMDB, GONOSUMDB
}

// OpenIsolated makes the folder dir, removes from it what processes left that are gone, and returns a toolchain that keeps all its
// files there. Several processes may share the folder. An error says what is missing on the machine and how to mend it.
func OpenIsolated(dir string, limits Limits, o IsolatedOptions) (*Isolated, error) {
	r, err := askIsolated()
	if err != nil {
		return nil, err
	}
	f, err := openFolder(dir, unsafeInName.ReplaceAllString(r.version, "_"))
	if err != nil {
		return nil, fmt.Errorf("open the toolchain's folder %s: %w", dir, err)
	}
	t := &Isolated{limits: limits, options: o, folder: f, release: r, preparing: make(lock, 1), prepared: map[string]bool{}}
	t.caches.folder = f
	t.archives.Store(&compilelink.Archives{})
	return t, nil
}

// unsafeInName is what "devel go1.27-0123456 Mon Jan 5" has that a folder's name had better not have.
var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func askIsolated() (isolatedRelease, error) {
	env := Environ("GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GO111MODULE=on")
	v, err := goEnv(env, "GOVERSION", "GOROOT", "GOTOOLDIR", "GOPROXY", "GOSUMDB", "GONOSUMDB")
	if err != nil {
		return isolatedRelease{}, err
	}
	r := isolatedRelease{version: v[0], goroot: v[1], tools: v[2], proxy: withoutDirect(v[3]), sumdb: v[4], unverified: v[5]}
	return r, newEnough(r.version)
}

// withoutDirect is a proxy setting without the fallback that asks the host which an import path names: that would be a host of
// the stranger's choice. What follows on it counts for nothing, to the go command neither.
func withoutDirect(proxy string) string {
	if proxy = fromDirect.ReplaceAllString(proxy, ""); proxy == "" {
		return "off"
	}
	return proxy
}

var fromDirect = regexp.MustCompile(`(^|[,|])\s*direct\s*([,|].*)?$`)

// Close removes what is left of this toolchain's builds. It keeps the compiled standard library.
func (t *Isolated) Close() error { return t.folder.close() }

// Folder returns a folder of this process's own, for what else it needs files for. Close removes it or, where the process is
// killed before, whoever opens the toolchain's folder next.
func (t *Isolated) Folder() string { return t.folder.own }

// Version returns the Go release, as "go1.26.8".
func (t *Isolated) Version() string { return t.release.version }

// Zones returns the release's time zone database, lib/time/zoneinfo.zip.
func (t *Isolated) Zones() ([]byte, error) {
	zones, err := os.ReadFile(filepath.Join(t.release.goroot, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, fmt.Errorf("read the time zones of %s: %w", t.release.version, err)
	}
	return zones, nil
}

// Build builds a program, or with p.Test its test binary. A mistake in the program, and a limit that it reaches, is not an error
// but in the Build. The messages are those of "go build" run in the program's folder.
func (t *Isolated) Build(ctx context.Context, p compilelink.Program) (*execution.Build, error) {
	if p.Test {
		return t.isolate(ctx, p, false, "test", "-c", "-vet=off")
	}
	return t.isolate(ctx, p, false, "build")
}

// Report compiles a program with the compiler's report of what escapes (-m=2), which is the Output, and does not link it: it
// needs no main function.
func (t *Isolated) Report(ctx context.Context, p compilelink.Program) (*execution.Build, error) {
	return t.isolate(ctx, p, true, "list", "-export", "-gcflags=-m=2", "-f={{\"\"}}", "-test="+strconv.FormatBool(p.Test))
}

// Vet runs go vet over a program, which must build.
func (t *Isolated) Vet(ctx context.Context, p compilelink.Program) (execution.VetResult, error) {
	return vetResult(t.isolate(ctx, p, false, "vet"))
}

// isolate builds a program directly, or by a subcommand of the go command.
func (t *Isolated) isolate(ctx context.Context, p compilelink.Program, report bool, command ...string) (*execution.Build, error) {
	if _, ok := p.Files["go.mod"]; !ok {
		// The go command would take one from a folder above.
		return nil, errors.New("build a program: it needs a go.mod")
	}
	if why := p.Refuse(); why != "" {
		return t.refused(why), nil
	}
	ctx, cancel := t.limits.WithTimeout(ctx)
	defer cancel()
	return t.within(func(j *job) error {
		if err := t.prepareFor(ctx, p.Files); err != nil {
			return err
		}
		if command[0] != "vet" {
			if plan, ok := t.directProgram(p); ok && report {
				return j.direct(ctx, plan.Report, "")
			} else if ok {
				return j.direct(ctx, plan.Build, j.binary())
			}
		}
		if err := lay(j.source(), p.Files); err != nil {
			return err
		}
		if command[0] == "build" || command[0] == "test" {
			command = append(command, "-buildvcs=false", "-ldflags="+linkFlags, "-o", j.binary())
		}
		return j.command(ctx, p, "", command...)
	})
}

// within has a build made in a folder of its own, which goes again unless the build is returned.
func (t *Isolated) within(make func(*job) error) (*execution.Build, error) {
	j, err := t.start()
	if err != nil {
		return nil, err
	}
	err = make(j)
	var late overtime
	switch {
	case errors.As(err, &late):
		j.build.Stop = late.stop()
	case err != nil:
		return nil, errors.Join(err, j.build.Close())
	}
	return j.build, nil
}
