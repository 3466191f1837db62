// Package build compiles and links Go packages that are given as text.
//
// A Toolchain builds code of the machine's own user. An Isolated builds programs of strangers. Both make an
// execution.Build from an execution.Source in the same steps:
//
//  1. A job gets a folder of its own, which Build.Close removes.
//  2. Package compilelink plans the build, and the compiler and the linker run as processes. If it cannot plan the
//     build, because only the go command knows how, the go command runs.
//  3. The job takes the result. HidePaths removes the paths of this machine from the output.
//
// A mistake in the code, and a limit that the build reaches, is in the Build and not an error. Limits bound each
// process, and environ makes its environment.
//
// Ends, the oldest and the newest release that the workbook supports, Releases and Fetch are in releases.go: they find
// and download other Go releases.
package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// A job is one build.
type job struct {
	dir       string // with all files of the build
	build     *execution.Build
	hide      func(output []byte) []byte // removes the paths of this machine
	maxBinary int                        // a binary of this size in bytes or more was truncated; 0: not checked
}

// newJob returns a job in the folder dir, which Close removes.
func newJob(dir, release, goos, goarch string, hide func([]byte) []byte) *job {
	return &job{dir: dir, hide: hide, build: &execution.Build{
		Go: release, GOOS: goos, GOARCH: goarch, Close: func() error { return os.RemoveAll(dir) },
	}}
}

// source returns the folder with the module.
func (j *job) source() string { return filepath.Join(j.dir, compilelink.Source) }

// binary returns the file that the build links.
func (j *job) binary() string { return filepath.Join(j.dir, compilelink.Binary) }

// compileLink makes the build with a method of a plan, without the go command. binary is "" if the method does not
// link.
func (j *job) compileLink(
	ctx context.Context,
	t tools,
	plan func(context.Context, compilelink.Machine) (execution.ToolResult, error),
	binary string,
) error {
	var m compilelink.Machine = machine{t, j.dir}
	if t.archiveCache != nil {
		m = cachingMachine{machine{t, j.dir}}
	}
	r, err := plan(ctx, m)
	if err == nil {
		j.finish(r, binary)
	}
	return err
}

// finish sets the result of the build from that of its last command. binary is the file that the command linked, "" for
// none.
func (j *job) finish(r execution.ToolResult, binary string) {
	if r.OK && binary != "" && j.maxBinary > 0 {
		// The linker does not notice if its output was truncated at the limit on file size.
		if info, err := os.Stat(binary); err != nil || info.Size() >= int64(j.maxBinary) {
			r = execution.ToolResult{Stop: execution.Stop{Kind: execution.FileSize, Bytes: j.maxBinary}}
		}
	}
	j.build.OK, j.build.Stop, j.build.Output = r.OK, r.Stop, j.hide(r.Output)
	if r.OK {
		j.build.Binary = binary
	}
}

// end returns the build, or err. If the job exceeded its time, err is a consequence and is dropped.
func (j *job) end(err error) (*execution.Build, error) {
	var late overtime
	switch {
	case errors.As(err, &late):
		j.build.Stop = late.stop()
	case err != nil:
		return nil, errors.Join(err, j.build.Close())
	}
	return j.build, nil
}

// writeModule writes files below the folder dir, and a go.mod if they have none.
func writeModule(dir string, files map[string][]byte) error {
	if _, ok := files["go.mod"]; !ok {
		if err := writeFile(dir, "go.mod", []byte(compilelink.Module)); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := writeFile(dir, name, text); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file with a slash-separated name below dir, and creates its folders.
func writeFile(dir, name string, text []byte) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("file name %q leads out of the module", name)
	}
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return fmt.Errorf("lay out the module: %w", err)
	}
	if err := os.WriteFile(full, text, 0o600); err != nil {
		return fmt.Errorf("lay out the module: %w", err)
	}
	return nil
}

// vetResult returns the result of a go vet that was run as a job.
func vetResult(b *execution.Build, err error) (execution.ToolResult, error) {
	if err != nil {
		return execution.ToolResult{}, err
	}
	return execution.ToolResult{OK: b.OK, Output: b.Output, Stop: b.Stop}, b.Close()
}
