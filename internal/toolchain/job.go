package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"onthestack/internal/verdict"
)

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

// stepwise begins a build that finds the archives in a and, when it links, reads what is in info.
func (j *job) stepwise(a *archives, info []byte) *steps {
	t := tools{j.t.release.tools, j.t.environ("off"), strings.Fields(linkFlags), j.t.limits}
	return t.begin(j.dir, j.source(), a, info)
}

// end completes a build by its steps, of which binary was linked, "" for none.
func (j *job) end(s *steps, binary string) error {
	if s.err == nil {
		j.finish(s.outcome, binary)
	}
	return s.err
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
