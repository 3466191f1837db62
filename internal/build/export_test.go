package build

import (
	"context"
	"os"

	"onthestack/internal/execution"
)

// PlansProgram reports whether t builds a program without the go command.
func PlansProgram(t *Isolated, src execution.Source) bool {
	_, ok := t.planProgram(src)
	return ok
}

// PlansTest reports whether t builds the tests of src without the go command.
func PlansTest(t *Isolated, src execution.Source) bool {
	_, ok := t.planTest(src)
	return ok
}

// Run runs a command as the only step of a build of src, and returns what it prints.
func Run(ctx context.Context, t *Isolated, src execution.Source, name string, args ...string) (string, error) {
	var printed []byte
	b, err := t.within(ctx, src, func(ctx context.Context, j *job) error {
		r, err := j.limits.run(ctx, j.dir, os.Environ(), name, args...)
		printed = r.Output
		return err
	})
	if err != nil {
		return "", err
	}
	return string(printed), b.Close()
}

// OwnFolder returns the folder of t's own files.
func OwnFolder(t *Isolated) string { return t.folder.temp }

// SharedFolder returns the folder that OpenCached uses.
func SharedFolder() (string, error) { return sharedFolder() }

// CacheFolder returns the build cache that all builds of t use.
func CacheFolder(t *Isolated) string { return t.folder.cache }

// Preparing makes Prepare wait until end is called.
func Preparing(t *Isolated) (end func()) {
	t.preparing.Acquire(context.Background(), 1)
	return func() { t.preparing.Release(1) }
}

// PreparedTest reports whether t builds src without the go command.
func PreparedTest(t *Toolchain, src execution.Source) bool {
	p := t.prepared.Load()
	if p == nil || !p.complete() {
		return false
	}
	_, ok := p.toolchain.Test(src)
	return ok
}

// SetLimits sets the limits of t's builds until restore is called. No build may be running.
func SetLimits(t *Isolated, l Limits) (restore func()) {
	old := t.limits
	t.limits = l
	return func() { t.limits = old }
}

// LoseArchive makes t believe that one of its archives is gone.
func LoseArchive(t *Toolchain) {
	files := t.prepared.Load().files
	files[len(files)/2] += ".gone"
}
