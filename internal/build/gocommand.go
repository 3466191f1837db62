package build

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/execution"
)

// environ returns the environment of the processes of an Isolated. It has nothing of this machine's environment except
// the proxies. The processes find no other commands and have no home folder, and therefore no telemetry and no
// credentials.
func (t *Isolated) environ(proxy string) []string {
	return slices.Concat(environ(t.platform.goos, t.platform.goarch, networkVariables, "GOENV=off", "GOTOOLCHAIN=local",
		"GOPROXY="+proxy, "GOSUMDB="+t.release.sumdb, "GONOSUMDB="+t.release.unverified,
		"GOPRIVATE=", "GONOPROXY=", "GOINSECURE=", "GOVCS=*:off", "GOAUTH=off",
		"PATH="+filepath.Join(t.release.goroot, "bin")), toolSettings)
}

// goPath returns the path of the go command.
func (t *Isolated) goPath() string {
	name := filepath.Join(t.release.goroot, "bin", "go")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// goBuild makes the build of src with the go command. command is a subcommand and its flags.
func (t *Isolated) goBuild(ctx context.Context, j *job, src execution.Source, command ...string) (err error) {
	if err := writeModule(j.source(), src.Files); err != nil {
		return err
	}
	cache, err := t.caches.take()
	if err != nil {
		return err
	}
	ended := false
	defer func() { err = errors.Join(err, t.caches.give(cache, ended)) }()

	proxy := "off"
	if t.options.Modules {
		proxy = t.release.proxy
	}
	tmp := filepath.Join(j.dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	env := append(t.environ(proxy),
		"GOCACHE="+cache.dir, "GOPATH="+filepath.Join(j.dir, "gopath"), "GOMODCACHE="+modCache(j.dir),
		"GOTMPDIR="+tmp, "TMPDIR="+tmp, "GOEXPERIMENT="+strings.Join(src.Experiments, ","))
	run := func(args ...string) (execution.ToolResult, error) {
		flags := []string{"-mod=mod", "-modcacherw", "-trimpath"}
		args = slices.Concat(args[:1], flags, args[1:], []string{"./" + src.Dir})
		r, err := t.limits.run(ctx, j.source(), env, t.goPath(), args...)
		ended = r.Stop.Kind == execution.NotStopped && err == nil
		return r, err
	}
	if t.options.Modules && usesModules(src, t.archives.Load()) {
		tests := strconv.FormatBool(src.Test || command[0] == "vet")
		r, err := run("list", "-deps", "-test="+tests, "-f", assemblyFormat)
		if err == nil && r.OK {
			r = refuseAssembly(r)
		}
		if err != nil || !r.OK {
			j.finish(r, "")
			return err
		}
	}
	r, err := run(command...)
	if r.OK {
		r.Output = withoutProgress(r.Output)
	}
	binary := ""
	if slices.Contains(command, "-o") {
		binary = j.binary()
	}
	j.finish(r, binary)
	return err
}

// modCache returns the module cache of a build in the folder dir.
func modCache(dir string) string { return filepath.Join(dir, "gopath", "pkg", "mod") }

// withoutProgress removes the go command's progress messages ("go: downloading …") from the output of a build
// that succeeds.
func withoutProgress(output []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("go: ")) {
			kept = append(kept, line...)
		}
	}
	return kept
}
