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

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// linkFlags are for every program: no debug information, and the place at which the program finds the time zones.
const linkFlags = "-s -w -X=runtime.defaultGOROOT=/usr/local/go"

// toolMemory is how much memory, in bytes, a process of the toolchain takes before it collects garbage. Nearly none needs that
// much, and without collecting linking hello world takes a sixth less.
const toolMemory = 256 << 20

// environ is the environment of the toolchain's processes: nothing of this machine's but how its proxy is reached. They find no
// other command, have no home, and so no telemetry and no credentials.
func (t *Isolated) environ(proxy string) []string {
	return environ(goos, goarch, networkVariables, "GOENV=off", "GOTOOLCHAIN=local",
		"GOPROXY="+proxy, "GOSUMDB="+t.release.sumdb, "GONOSUMDB="+t.release.unverified,
		"GOPRIVATE=", "GONOPROXY=", "GOINSECURE=", "GOVCS=*:off", "GOAUTH=off",
		"PATH="+filepath.Join(t.release.goroot, "bin"), "GOGC=off", "GOMEMLIMIT="+strconv.Itoa(toolMemory))
}

func (t *Isolated) goCommand() string {
	name := filepath.Join(t.release.goroot, "bin", "go")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// command builds what is laid out in the job's source by the go command: args is a subcommand and its flags, dir the package's
// folder, slash-separated.
func (j *job) command(ctx context.Context, p compilelink.Program, dir string, args ...string) (err error) {
	t := j.t
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
	env := append(t.environ(proxy), "GOCACHE="+cache.dir, "GOPATH="+filepath.Join(j.dir, "gopath"), "GOMODCACHE="+j.modules(),
		"GOTMPDIR="+tmp, "TMPDIR="+tmp, "GOEXPERIMENT="+strings.Join(p.Experiments, ","))
	run := func(args ...string) (compilelink.Result, error) {
		o, err := t.limits.run(ctx, j.source(), env, t.goCommand(), slices.Concat(args[:1], []string{"-mod=mod", "-modcacherw", "-trimpath"}, args[1:], []string{"./" + dir})...)
		ended = o.Stop.Kind == execution.NotStopped && err == nil
		return o, err
	}
	if t.options.Modules && thirdParty(p, t.archives.Load()) {
		o, err := run("list", "-deps", "-test="+strconv.FormatBool(p.Test || args[0] == "vet"), "-f", assemblyFiles)
		if err == nil && o.OK {
			o = j.refuseAssembly(o)
		}
		if err != nil || !o.OK {
			j.finish(o, "")
			return err
		}
	}
	o, err := run(args...)
	if o.OK {
		o.Output = withoutProgress(o.Output)
	}
	binary := ""
	if slices.Contains(args, "-o") {
		binary = j.binary()
	}
	j.finish(o, binary)
	return err
}

// modules is where the go command keeps the modules that a build fetches.
func (j *job) modules() string { return filepath.Join(j.dir, "gopath", "pkg", "mod") }

// withoutProgress removes what the go command tells of its work ("go: downloading …") from the output of a build that succeeds.
func withoutProgress(output []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("go: ")) {
			kept = append(kept, line...)
		}
	}
	return kept
}
