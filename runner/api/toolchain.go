package api

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

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
	toolchain                 // for programs
	tests     *build.Isolated // builds the tests of checks
	reason    string          // why the server chose WebAssembly for them; "" if the settings did, or it confines

	mu     sync.Mutex
	others []toolchain // of --releases that are ready, for programs that are stepped through on another release of Go
}

// openTools opens the toolchain that builds programs, and what builds the tests of checks.
func (s *Server) openTools() (*tools, error) {
	opened, err := s.openToolchain("")
	t := &tools{toolchain: opened}
	if err == nil {
		err = t.openChecks(s.settings, s.buildLimits())
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// close closes what openTools and openFurther have opened.
func (t *tools) close() (err error) {
	if t.tests != nil && t.confined() {
		err = t.tests.Close()
	}
	for _, t := range t.all() {
		if t.isolated != nil {
			err = errors.Join(err, t.isolated.Close())
		}
	}
	return err
}

func (s *Server) buildLimits() build.Limits {
	limits := build.StrangerLimits()
	limits.Time = s.settings.BuildTime
	return limits
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

// warmFurther opens the releases of --releases, and then compiles the standard library for each.
func (s *Server) warmFurther(ctx context.Context) {
	if s.tools == nil {
		return
	}
	s.openFurther(ctx)
	for _, t := range s.tools.all()[1:] {
		if err := prepareStd(ctx, t); err != nil && ctx.Err() == nil {
			s.log.Warn("preparing a release failed: requests may be slow", "release", t.release.Version, "error", err)
		}
	}
}

// openRelease opens the newest patch of a release, "go1.27", or the patch that the name has. Programs can be stepped
// through on it as soon as the packages are compiled that every program needs.
func (s *Server) openRelease(ctx context.Context, name string) (opened string, err error) {
	patches, err := build.Newest(ctx, name)
	if err != nil {
		return "", err
	}
	patch := patches[0]
	// Requests name releases without a patch, so that links to them stay valid.
	for _, t := range s.tools.all() {
		if t.release.Release == version.Lang(patch) {
			return "", fmt.Errorf("%s: this server has %s already: name another minor release", patch,
				t.release.Version)
		}
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
	s.tools.mu.Lock()
	defer s.tools.mu.Unlock()
	s.tools.others = append(s.tools.others, t)
	return t.release.Version, nil
}

// all returns the toolchains on which programs can be stepped through, the one that builds all else first.
func (t *tools) all() []toolchain {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]toolchain{t.toolchain}, t.others...)
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
	for _, t := range s.tools.all() {
		if t.release.Release == "go"+strings.TrimPrefix(name, "go") {
			return t, nil
		}
		has = append(has, t.release.Name)
	}
	return toolchain{}, request.Bad("this server does not have the release %q: it has %s",
		shorten(name, maxReleaseName), strings.Join(has, ", "))
}

// A goRelease is the Go release that builds programs, as the playground describes it.
type goRelease struct {
	Version string // "go1.26.8"
	Release string // "go1.26"
	Name    string // "Go 1.26"

	// Engine is what runs checks: "confined" or "wasm", or "none" without Go. The playground does not have it.
	Engine string
	// EngineReason is why the runner chose "wasm" by itself, or has "none". The playground does not have it.
	EngineReason string `json:",omitempty"`
	// Releases are the releases on which programs can be stepped through, as Version names them. They are absent if
	// there is only this one. The playground does not have them.
	Releases []string `json:",omitempty"`

	language string // for go.mod: "1.26"
}

// newGoRelease parses the output of "go env GOVERSION". A development version counts as the oldest release that the
// workbook supports.
func newGoRelease(goVersion string) (goRelease, error) {
	if goVersion == "" {
		return goRelease{}, errors.New("go env GOVERSION prints nothing: install Go from https://go.dev/dl/")
	}
	v, _, _ := strings.Cut(goVersion, " ")
	r := goRelease{Version: goVersion, Release: version.Lang(v)}
	if r.Release == "" {
		r.Release = build.Oldest
	}
	r.language = strings.TrimPrefix(r.Release, "go")
	r.Name = "Go " + r.language
	return r, nil
}

// version answers with the release, and with all releases on which programs can be stepped through.
func (s *Server) version(w http.ResponseWriter, r *http.Request) {
	answer := s.release
	if s.tools != nil {
		if all := s.tools.all(); len(all) > 1 {
			for _, t := range all {
				answer.Releases = append(answer.Releases, t.release.Version)
			}
		}
	}
	request.Reply(w, http.StatusOK, answer)
}

// warming is the state of compiling the standard library for WebAssembly. A Go installation has only its source, and a
// package is compiled into the build cache when a program on the machine imports it for the first time.
type warming struct {
	ready chan struct{} // closed when the packages that every program needs are compiled, or failed to
	ended chan struct{} // closed when all packages are compiled, or failed to
}

// over reports whether the whole standard library is compiled.
func (w *warming) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// await waits for an event or for ctx, and then returns the cause.
func await(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// warm compiles the standard library: first the packages that checks and small programs need, and then the rest, once
// the site is built and while requests are answered. A failure is logged; each request then compiles the packages that
// it needs.
func (s *Server) warm(ctx context.Context, prepared <-chan struct{}) {
	defer close(s.warming.ended)

	if s.tools == nil {
		close(s.warming.ready)
		return
	}
	start := time.Now()
	s.log.Info("preparing the toolchain: on a new machine the first check waits about a minute")
	err := s.tools.prepare(ctx, s.catalog)
	close(s.warming.ready)
	if err == nil {
		s.log.Info("ready to check and run", "ms", time.Since(start).Milliseconds())
		if err = await(ctx, prepared); err == nil {
			err = prepareStd(ctx, s.tools.toolchain)
		}
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.log.Warn("preparing the toolchain failed: requests may be slow", "error", err)
	default:
		s.log.Info("the whole standard library is compiled", "ms", time.Since(start).Milliseconds())
	}
}

func prepareStd(ctx context.Context, t toolchain) error {
	std, err := t.isolated.Std(ctx)
	if err != nil {
		return err
	}
	return t.isolated.Prepare(ctx, std...)
}
