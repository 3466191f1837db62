package api

import (
	"context"
	"errors"
	"fmt"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/runner/settings"
)

// openChecks opens what builds the tests of checks, by the engine of the settings. The tests are run in confined
// processes, or as WebAssembly, which the toolchain for programs builds.
func (t *tools) openChecks(set settings.Settings, limits build.Limits) (err error) {
	t.tests = t.isolated
	switch set.Engine {
	case settings.EngineWasm:
		return nil
	case settings.EngineConfined:
		if err := sandbox.Confinable(); err != nil {
			return fmt.Errorf("--engine confined: this machine cannot confine programs: %w; "+
				"--engine wasm can run checks here", err)
		}
	default:
		if t.reason = reasonForWasm(set); t.reason != "" {
			return nil
		}
	}
	t.tests, err = build.OpenIsolated(set.Data, limits, build.IsolatedOptions{Native: true})
	return err
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

// confined reports whether the tests of checks run in confined processes; otherwise they run as WebAssembly.
func (t *tools) confined() bool { return t.tests != t.isolated }

func (t *tools) testRunner(limits sandbox.Limits) verdict.Runner {
	if t.confined() {
		return sandbox.Confined{Limits: limits}
	}
	return sandbox.Wasm{Limits: limits}
}

// prepare compiles the packages that checks need, and then the packages that every program needs.
func (t *tools) prepare(ctx context.Context, catalog exercise.Catalog) error {
	var checks error
	if t.confined() {
		imports := []string{"fmt"}
		for _, x := range catalog {
			imports = append(imports, x.Dependencies()...)
		}
		checks = t.tests.Prepare(ctx, imports...)
	}
	return errors.Join(checks, t.isolated.Prepare(ctx, "fmt"))
}

// engineNone is the engine of a server that cannot check, in its answer to /version.
const engineNone = "none"

// Checks returns a sentence about how the server runs checks.
func (s *Server) Checks() string {
	switch {
	case s.tools == nil:
		return "this server does not check or run programs: " + s.release.EngineReason + ". The pages do it by themselves"
	case s.tools.confined():
		return "checks run in confined processes"
	case s.tools.reason != "":
		return "checks run as WebAssembly, because " + s.tools.reason
	}
	return "checks run as WebAssembly"
}
