package api

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"onthestack/internal/build"
	"onthestack/runner/request"
)

// A toolchain builds programs with one release of Go.
type toolchain struct {
	isolated *build.Isolated
	zones    []byte // the time zone database for programs
	release  goRelease
}

// openToolchain opens a release of Go that is on the machine: "go1.27.4", or "" for the installed one. On failure it
// returns what is to be closed.
func (s *Server) openToolchain(release string) (t toolchain, err error) {
	// A folder keeps the compiled standard library of one release.
	dir := s.settings.Data
	if release != "" {
		dir = filepath.Join(dir, version.Lang(release))
	}
	t.isolated, err = build.OpenIsolated(dir, s.buildLimits(),
		build.IsolatedOptions{Modules: s.settings.Modules, Release: release})
	if err != nil {
		return t, err
	}
	if t.zones, err = t.isolated.Zones(); err != nil {
		return t, err
	}
	t.release, err = newGoRelease(t.isolated.Version())
	return t, err
}

// tools are what builds and runs programs. A server without Go has none.
type tools struct {
	toolchain              // for programs
	checks    *checkEngine // for the tests of checks
	further   further      // for programs that are stepped through on another release of Go
}

// openTools opens the toolchain that builds programs, and the engine of checks.
func (s *Server) openTools() (*tools, error) {
	own, err := s.openToolchain("")
	t := &tools{toolchain: own}
	if err == nil {
		t.checks, err = newCheckEngine(s.settings, s.buildLimits(), t.isolated)
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// close closes what openTools and openFurther have opened.
func (t *tools) close() (err error) {
	if t.checks != nil {
		err = t.checks.close(t.isolated)
	}
	for _, t := range append(t.further.list(), t.toolchain) {
		if t.isolated != nil {
			err = errors.Join(err, t.isolated.Close())
		}
	}
	return err
}

// buildLimits returns the limits of a build.
func (s *Server) buildLimits() build.Limits {
	limits := build.StrangerLimits()
	limits.Time = s.settings.BuildTime
	return limits
}

// further has the toolchains of --releases that are ready. It is safe for concurrent use.
type further struct {
	mu    sync.Mutex
	ready []toolchain
}

func (f *further) add(t toolchain) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = append(f.ready, t)
}

func (f *further) list() []toolchain {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ready)
}

// openFurther opens the releases of --releases, one after the other. It downloads a release that is not on the machine,
// so that no request has to wait for that. A failure is logged, and the server does without that release.
func (s *Server) openFurther(ctx context.Context) {
	for _, name := range s.settings.Releases {
		switch opened, err := s.openRelease(ctx, name); {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Warn("programs cannot be stepped through on a release of --releases", "release", name, "error", err)
		default:
			s.log.Info("programs can be stepped through on another release", "release", opened)
		}
	}
}

// openRelease opens the newest patch of a release, "go1.27", or the patch that the name has. Programs can be stepped
// through on it as soon as the packages are compiled that every program needs.
func (s *Server) openRelease(ctx context.Context, name string) (opened string, err error) {
	patch, err := build.Newest(ctx, name)
	if err != nil {
		return "", err
	}
	if err := s.checkDistinct(patch); err != nil {
		return "", err
	}
	if _, err := build.Fetch(ctx, patch); err != nil {
		return "", fmt.Errorf("%w; connect this machine to the network, or set GOPROXY, and start this server again",
			err)
	}
	t, err := s.openToolchain(patch)
	if err == nil {
		err = t.isolated.Prepare(ctx, "fmt")
	}
	if err != nil {
		if t.isolated != nil {
			err = errors.Join(err, t.isolated.Close())
		}
		return "", err
	}
	s.tools.further.add(t)
	return t.release.Version, nil
}

// checkDistinct reports a second patch of a release. Requests name releases without a patch, so that links to them stay
// valid.
func (s *Server) checkDistinct(patch string) error {
	for _, t := range s.toolchains() {
		if t.release.Release == version.Lang(patch) {
			return fmt.Errorf("%s: this server has %s already: name another minor release", patch, t.release.Version)
		}
	}
	return nil
}

// toolchains returns the toolchains on which programs can be stepped through, the one that builds all else first.
func (s *Server) toolchains() []toolchain {
	return append([]toolchain{s.tools.toolchain}, s.tools.further.list()...)
}

// maxReleaseName bounds how much of the name of a release an answer repeats.
const maxReleaseName = 20

// toolchainFor returns the toolchain of a release that a request names, "1.27" or "go1.27"; "" is the one that builds
// all else.
func (s *Server) toolchainFor(name string) (toolchain, error) {
	if name == "" {
		return s.tools.toolchain, nil
	}
	var has []string
	for _, t := range s.toolchains() {
		if t.release.Release == "go"+strings.TrimPrefix(name, "go") {
			return t, nil
		}
		has = append(has, t.release.Name)
	}
	return toolchain{}, request.Bad("this server does not have the release %q: it has %s",
		shorten(name, maxReleaseName), strings.Join(has, ", "))
}
