package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// A job is one build of a stranger's program.
type job struct {
	t     *Isolated
	dir   string // all of its files; source is in it
	build *execution.Build
}

// source is where a build's program lies.
func (j *job) source() string { return filepath.Join(j.dir, compilelink.Source) }

// binary is what a build links.
func (j *job) binary() string { return filepath.Join(j.dir, compilelink.Binary) }

// start makes a build's folder.
func (t *Isolated) start() (*job, error) {
	j := &job{t: t, dir: filepath.Join(t.folder.own, strconv.FormatInt(t.builds.Add(1), 10))}
	j.build = &execution.Build{Go: t.release.version, GOOS: goos, GOARCH: goarch, Close: func() error { return os.RemoveAll(j.dir) }}
	if err := os.MkdirAll(j.source(), 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the build: %w", err)
	}
	return j, nil
}

// refused is the build of a program that is not built.
func (t *Isolated) refused(why string) *execution.Build {
	return &execution.Build{Output: []byte(why), Go: t.release.version, GOOS: goos, GOARCH: goarch, Close: func() error { return nil }}
}

// direct completes a build by a plan's method that makes it without the go command, and links the binary or, with "", none.
func (j *job) direct(ctx context.Context, build func(context.Context, compilelink.Machine) (compilelink.Result, error), binary string) error {
	o, err := build(ctx, machine{tools{j.t.release.tools, j.t.environ("off"), j.t.limits}, j.dir})
	if err == nil {
		j.finish(o, binary)
	}
	return err
}

// finish completes a build by how its last command ended, which wrote the binary or, with "", none.
func (j *job) finish(o compilelink.Result, binary string) {
	if o.OK && binary != "" {
		// The linker does not notice that the end of what it writes is missing.
		info, err := os.Stat(binary)
		if limit := j.t.limits.File; limit > 0 && (err != nil || info.Size() >= int64(limit)) {
			o = compilelink.Result{Stop: execution.Stop{Kind: execution.FileSize, Bytes: limit}}
		}
	}
	j.build.OK, j.build.Stop, j.build.Output = o.OK, o.Stop, j.hidePaths(o.Output)
	if o.OK {
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
	return []byte(HideProxies(string(HidePaths(output, pairs...))))
}
