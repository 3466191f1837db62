package api

import (
	"context"
	"fmt"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/runner/settings"
)

// A checkEngine builds and runs the tests of checks.
type checkEngine struct {
	isolated *build.Isolated
	confined bool   // in confined processes; otherwise as WebAssembly
	reason   string // why the server chose WebAssembly; "" if the settings name the engine, or the server confines
}

// newCheckEngine opens the engine of the settings. The engine for WebAssembly shares the toolchain for programs.
func newCheckEngine(set settings.Settings, limits build.Limits, programs *build.Isolated) (*checkEngine, error) {
	switch set.Engine {
	case settings.EngineWasm:
		return &checkEngine{isolated: programs}, nil
	case settings.EngineConfined:
		if err := sandbox.Confinable(); err != nil {
			return nil, fmt.Errorf("--engine confined: this machine cannot confine programs: %w; "+
				"--engine wasm can run checks here", err)
		}
	default:
		if reason := reasonForWasm(set); reason != "" {
			return &checkEngine{isolated: programs, reason: reason}, nil
		}
	}
	native, err := build.OpenIsolated(set.Data, limits, build.IsolatedOptions{Native: true})
	if err != nil {
		return nil, err
	}
	return &checkEngine{isolated: native, confined: true}, nil
}

// reasonForWasm returns why EngineAuto means WebAssembly, or "" if it means confined processes. A fault of the kernel
// is a way out of a confined process, so strangers get WebAssembly. The participants of a room are not strangers: an
// instructor opened it for them. Pages of other web sites are, in a room too.
func reasonForWasm(set settings.Settings) string {
	switch {
	case set.Origins.Any():
		return "--allow-origin lets every web site use it"
	case set.Room:
	case !set.Loopback():
		return "other machines can reach " + set.Addr
	case len(set.Proxies) > 0:
		return "other machines can reach it through the proxy of --trust-proxy"
	case set.Hosts.IsSet():
		return "other machines can reach it by a name of --allow-host"
	}
	if err := sandbox.Confinable(); err != nil {
		return "this machine cannot confine programs: " + err.Error()
	}
	return ""
}

// runner returns the runner of the tests.
func (e *checkEngine) runner(limits sandbox.Limits) verdict.Runner {
	if e.confined {
		return sandbox.Confined{Limits: limits}
	}
	return sandbox.Wasm{Limits: limits}
}

// prepare compiles the packages that the exercises need. It does nothing if the toolchain is that for programs, which
// the server prepares itself.
func (e *checkEngine) prepare(ctx context.Context, programs *build.Isolated, catalog exercise.Catalog) error {
	if e.isolated == programs {
		return nil
	}
	imports := []string{"fmt"}
	for _, x := range catalog {
		imports = append(imports, x.Dependencies()...)
	}
	return e.isolated.Prepare(ctx, imports...)
}

// close closes the toolchain, unless it is that for programs.
func (e *checkEngine) close(programs *build.Isolated) error {
	if e.isolated == programs {
		return nil
	}
	return e.isolated.Close()
}

// engineNone is the engine of a server that cannot check, in its answer to /version.
const engineNone = "none"

// Checks returns a sentence about how the server runs checks.
func (s *Server) Checks() string {
	switch {
	case s.tools == nil:
		return "this server does not check or run programs: " + s.release.EngineReason + ". The pages do it by themselves"
	case s.tools.checks.confined:
		return "checks run in confined processes"
	case s.tools.checks.reason != "":
		return "checks run as WebAssembly, because " + s.tools.checks.reason
	}
	return "checks run as WebAssembly"
}
