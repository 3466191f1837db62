package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/verdict"
)

// linkFlags are for every program: no debug information, and the place at which the program finds the time zones.
const linkFlags = "-s -w -X=runtime.defaultGOROOT=/usr/local/go"

// toolMemory is how much memory, in bytes, a process of the toolchain takes before it collects garbage. Nearly none needs that
// much, and without collecting linking hello world takes a sixth less.
const toolMemory = 256 << 20

// environ is the environment of the toolchain's processes: nothing of this machine's but how its proxy is reached. They find no
// other command, have no home, and so no telemetry and no credentials.
func (t *Isolated) environ(proxy string) []string {
	env := []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOENV=off", "GOFLAGS=", "GO111MODULE=on", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOPROXY=" + proxy, "GOSUMDB=" + t.release.sumdb, "GONOSUMDB=" + t.release.unverified, "GOPRIVATE=", "GONOPROXY=", "GOINSECURE=", "GOVCS=*:off", "GOAUTH=off",
		"PATH=" + filepath.Join(t.release.goroot, "bin"), "LC_ALL=C", "GOGC=off", "GOMEMLIMIT=" + strconv.Itoa(toolMemory)}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (t *Isolated) goCommand() string {
	name := filepath.Join(t.release.goroot, "bin", "go")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// A job is one build of a stranger's program.
type job struct {
	t     *Isolated
	dir   string // all of its files; source is in it
	build *verdict.Build
}

// source is where a build's program lies.
func (j *job) source() string { return filepath.Join(j.dir, "src") }

// binary is what a build links.
func (j *job) binary() string { return filepath.Join(j.dir, "program") }

// start makes a build's folder.
func (t *Isolated) start() (*job, error) {
	j := &job{t: t, dir: filepath.Join(t.folder.own, strconv.FormatInt(t.builds.Add(1), 10))}
	j.build = &verdict.Build{Go: t.release.version, GOOS: "wasip1", GOARCH: "wasm", Close: func() error { return os.RemoveAll(j.dir) }}
	if err := os.MkdirAll(j.source(), 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	return j, nil
}

// refused is the build of a program that is not built.
func (t *Isolated) refused(why string) *verdict.Build {
	return &verdict.Build{Output: []byte(why), Go: t.release.version, GOOS: "wasip1", GOARCH: "wasm", Close: func() error { return nil }}
}

// lay writes a program's files; those of a direct build are Go files alone.
func (j *job) lay(files map[string][]byte, names []string) error {
	for _, name := range names {
		if err := write(j.source(), name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// layAll writes all files of a program, and a go.mod unless it brings one.
func (j *job) layAll(p Program) error {
	if _, ok := p.Files["go.mod"]; !ok {
		if err := write(j.source(), "go.mod", []byte("module "+playModule+"\n\ngo "+j.t.language()+"\n")); err != nil {
			return err
		}
	}
	return j.lay(p.Files, slices.Collect(maps.Keys(p.Files)))
}

// finish completes a build by how its last command ended, which wrote the binary or, with "", none.
func (j *job) finish(o outcome, binary string) {
	if o.ok && binary != "" {
		// The linker does not notice that the end of what it writes is missing.
		info, err := os.Stat(binary)
		if limit := j.t.limits.File; limit > 0 && (err != nil || info.Size() >= int64(limit)) {
			o = outcome{stopped: tooLarge(limit)}
		}
	}
	j.build.OK, j.build.Stopped, j.build.Output = o.ok, o.stopped, j.hidePaths(o.output)
	if o.ok {
		j.build.Binary = binary
	}
}

// command builds what is laid out in the job's source by the go command: args is a subcommand and its flags, dir the package's
// folder, slash-separated.
func (j *job) command(ctx context.Context, p Program, dir string, args ...string) (err error) {
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
	run := func(args ...string) (outcome, error) {
		o, err := t.limits.run(ctx, j.source(), env, t.goCommand(), slices.Concat(args[:1], []string{"-mod=mod", "-modcacherw", "-trimpath"}, args[1:], []string{"./" + dir})...)
		ended = o.stopped == "" && err == nil
		return o, err
	}
	if t.options.Modules && p.thirdParty(t.archives.Load().public) {
		o, err := run("list", "-deps", "-test="+strconv.FormatBool(p.Test || args[0] == "vet"), "-f", assemblyFiles)
		if err == nil && o.ok {
			o = j.refuseAssembly(o)
		}
		if err != nil || !o.ok {
			j.finish(o, "")
			return err
		}
	}
	o, err := run(args...)
	if o.ok {
		o.output = withoutProgress(o.output)
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

// assemblyFiles has go list print the assembler's files, each with what marks its line.
const assemblyFiles = `{{if not .Standard}}{{$p := .}}{{range .SFiles}}` + assemblyMark + `{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{range .HFiles}}` + assemblyMark + `{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`

const assemblyMark = "assembly:"

// Files that assembly includes by rights lie in the Go installation, or are made by the go command.
var (
	include        = regexp.MustCompile(`include`)
	allowedInclude = regexp.MustCompile(`#include[ \t]+"(textflag|funcdata|go_asm)\.h"`)
)

// refuseAssembly refuses a module of a third party in which assembly includes a file that it does not name by rights; see
// foreign.
func (j *job) refuseAssembly(listed outcome) outcome {
	for line := range strings.Lines(string(listed.output)) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), assemblyMark)
		if !ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || len(include.FindAll(text, -1)) != len(allowedInclude.FindAll(text, -1)) {
			return outcome{output: fmt.Appendf(nil, "%s: assembly that includes other files cannot be built here\n", name)}
		}
	}
	listed.output = nil
	return listed
}

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

// hidePaths takes the folders of this machine out of what a reader sees.
func (j *job) hidePaths(output []byte) []byte {
	if len(output) == 0 {
		return output
	}
	const sep = string(filepath.Separator)
	pairs := []string{
		// As the go command calls them from the program's folder.
		filepath.Join("..", "gopath", "pkg", "mod") + sep, "",
		j.modules() + sep, "",
		j.source() + sep, "",
		j.source(), ".",
		j.dir, "$WORK",
		j.t.folder.own, "$WORK",
		j.t.folder.cache, "$GOCACHE",
		j.t.release.goroot, "$GOROOT",
	}
	for proxy := range strings.FieldsFuncSeq(j.t.release.proxy, func(r rune) bool { return r == ',' || r == '|' }) {
		// A folder, or an address with a password.
		if path, ok := strings.CutPrefix(proxy, "file://"); ok || strings.Contains(proxy, "@") {
			pairs = append(pairs, proxy, "$GOPROXY", path, "$GOPROXY")
		}
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(output)))
}
