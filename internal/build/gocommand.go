package build

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"onthestack/internal/execution"
)

// command returns the path of the go command.
func (t *Isolated) command() string {
	return executable(filepath.Join(t.release.goroot, "bin", "go"), runtime.GOOS)
}

// executable returns the file name of a program: Windows does not start one without this suffix.
func executable(name, goos string) string {
	if goos == "windows" {
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
	defer func() {
		ended := err == nil && j.build.Stop.Kind == execution.NotStopped
		err = errors.Join(err, t.caches.give(cache, ended))
	}()

	tmp := filepath.Join(j.dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	g := goCommand{
		name: t.command(), env: t.buildEnviron(cache.dir, j.dir, tmp, src.Experiments),
		flags: []string{"-mod=mod", "-modcacherw"},
	}
	if t.options.Modules && usesModules(src, t.archives.Load()) {
		tests := strconv.FormatBool(src.Test || command[0] == "vet")
		r, err := j.runGo(ctx, g, src, "list", "-deps", "-test="+tests, "-f", assemblyFormat)
		if err == nil && r.OK {
			r = refuseAssembly(r)
		}
		if err != nil || !r.OK {
			j.finish(r, "")
			return err
		}
	}
	err = j.goBuild(ctx, g, src, command...)
	if j.build.OK {
		j.build.Output = withoutProgress(j.build.Output)
	}
	return err
}

// withoutProgress removes the go command's progress messages ("go: downloading …") from the output of a build
// that succeeds.
func withoutProgress(output []byte) []byte {
	var rest []byte
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("go: ")) {
			rest = append(rest, line...)
		}
	}
	return rest
}
