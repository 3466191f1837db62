// Package build compiles and links Go packages that are given as text.
//
// A Toolchain builds code of the machine's own user. An Isolated builds programs of strangers. Both make an
// execution.Build from an execution.Source as a job (build.go):
//
//  1. The job gets its own folder, which Build.Close removes, and a limit on time.
//  2. Package compilelink plans the build, and the compiler and the linker run as processes (job.compileLink). If it
//     cannot plan the build, because only the go command knows how, the go command runs (job.goBuild).
//  3. The job takes the result, without the paths of this machine (job.finish).
//
// A mistake in the code, and a limit that the build reaches, is in the Build and not an error. Limits bound each
// process. All environments are made in environ.go, and all paths are hidden in paths.go.
//
// The two differ in what they trust:
//
//   - A Toolchain runs the go command on PATH with the user's own caches, because the code is the user's. An Isolated
//     runs the go command of its release with a cache for each build (caches.go), because no stranger may see or change
//     what was compiled for another. Only an Isolated downloads modules, and refuses what could read a file of the
//     machine.
//   - A Toolchain asks the go command for its release at its first build, because many commands build nothing.
//     An Isolated asks when it is opened, so that a server without Go fails at its start.
//   - A Toolchain compiles the standard library in Prepare once. An Isolated also does so when a program imports
//     another package, because its go command would otherwise compile that package for each program again.
//   - An Isolated also hides its own folders and the module proxies, which are private to the machine's owner. A
//     Toolchain must not, because its output includes the output of the user's tests.
//
// Other Go releases are found and downloaded in releases.go. Its function Ends returns the oldest and the newest
// release that the workbook supports.
package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
	"onthestack/internal/gocommand"
)

// A job is one build.
type job struct {
	dir    string // with all files of the build
	limits Limits
	hide   func(output []byte, dir string) []byte // removes the paths of this machine
	build  *execution.Build
	// maxBinary is the size in bytes from which a binary was truncated. It is 0 for a Toolchain, which does not check
	// it: for a package without tests there is no binary, and that is not a mistake.
	maxBinary int
}

// newJob returns a job in the folder dir, which Close removes.
func newJob(dir string, r release, p platform, limits Limits, hide func(output []byte, dir string) []byte) *job {
	return &job{dir: dir, limits: limits, hide: hide, build: &execution.Build{
		Go: r.version, GOOS: p.goos, GOARCH: p.goarch, Close: func() error { return os.RemoveAll(dir) },
	}}
}

// run runs the steps of the build within the limit on time, and returns the build. If the steps exceed that time, their
// error is a consequence and is dropped.
func (j *job) run(ctx context.Context, steps func(context.Context, *job) error) (*execution.Build, error) {
	ctx, cancel := j.limits.WithTimeout(ctx)
	defer cancel()
	err := steps(ctx, j)
	var late gocommand.Timeout
	switch {
	case errors.As(err, &late):
		j.build.Stop = late.Stop()
	case err != nil:
		return nil, errors.Join(err, j.build.Close())
	}
	return j.build, nil
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
	r, err := plan(ctx, machine{j, t})
	if err == nil {
		j.finish(r, binary)
	}
	return err
}

// A goCommand is the go command as a job runs it.
type goCommand struct {
	name  string // of the command, or its path
	env   []string
	flags []string // of every subcommand
}

// goBuild makes the build with a subcommand of the go command, and its flags, over the package of src. A subcommand
// that links writes the job's binary. The files of src are in the job's folder.
func (j *job) goBuild(ctx context.Context, g goCommand, src execution.Source, command ...string) error {
	binary := ""
	if command[0] == "build" || slices.Contains(command, "-c") {
		binary = executable(j.binary(), j.build.GOOS)
		command = append(slices.Clip(command), "-o", binary)
	}
	r, err := j.runGo(ctx, g, src, command...)
	if err == nil {
		j.finish(r, binary)
	}
	return err
}

// runGo runs a subcommand of the go command, and its flags, over the package of src.
func (j *job) runGo(
	ctx context.Context, g goCommand, src execution.Source, command ...string,
) (execution.ToolResult, error) {
	flags := slices.Concat([]string{"-trimpath", "-buildvcs=false"}, g.flags, command[1:])
	args := slices.Concat(command[:1], flags, []string{"./" + src.Dir})
	return j.limits.run(ctx, j.source(), g.env, g.name, args...)
}

// finish sets the result of the build from r, the result of its last command. binary is the file that the command
// linked, or "" if it linked none.
func (j *job) finish(r execution.ToolResult, binary string) {
	if r.OK && binary != "" && j.maxBinary > 0 {
		// The linker does not notice if its output was truncated at the limit on file size.
		if info, err := os.Stat(binary); err != nil || info.Size() >= int64(j.maxBinary) {
			r = execution.ToolResult{Stop: execution.Stop{Kind: execution.FileSize, Bytes: j.maxBinary}}
		}
	}
	j.build.OK, j.build.Stop, j.build.Output = r.OK, r.Stop, j.hide(r.Output, j.dir)
	if r.OK {
		j.build.Binary = binary
	}
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
