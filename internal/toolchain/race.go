package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
)

// TestRace implements verdict.Racer: it builds the package's tests with the race detector and runs them. It skips the tests only if the
// machine has no C compiler or the platform has no race detector. A failure of the linker, of cgo or of the detector's own runtime is
// an error that contains the output.
func (t *Toolchain) TestRace(ctx context.Context, src execution.Source) (b *execution.Build, lacks string, err error) {
	cgo, lacks, err := t.readyForRace(ctx)
	if lacks != "" || err != nil {
		return nil, lacks, err
	}
	b, err = t.buildWith(ctx, src, cgo, "test", "-race", "-c", "-vet=off")
	if err != nil {
		return nil, "", err
	}
	if !b.OK && b.Stop.Kind == execution.NotStopped && !blamesCode(b.Output) {
		return nil, "", errors.Join(fmt.Errorf("build the tests with the race detector: %s", bytes.TrimSpace(b.Output)), b.Close())
	}
	if b.OK {
		err = t.runRace(ctx, b, src.Dir)
	} else {
		b.Binary = ""
	}
	if err != nil {
		return nil, "", errors.Join(err, b.Close())
	}
	return b, "", nil
}

// blamesCode reports whether the output of a build blames the package's code: a line of it, or build constraints that exclude all files.
func blamesCode(output []byte) bool {
	diagnostics, _, err := escape.Parse(bytes.NewReader(output))
	return err == nil && len(diagnostics) > 0 || bytes.Contains(output, []byte("build constraints exclude all Go files"))
}

// detectorFailed matches the message with which the race detector's runtime ends a program that it cannot instrument, for example
// because of the address space's layout.
var detectorFailed = regexp.MustCompile(`(?m)^(==\d+==)?(FATAL|ERROR): ThreadSanitizer\b.*`)

// runRace runs the tests of b, in their package's folder below dir as the go command would.
func (t *Toolchain) runRace(ctx context.Context, b *execution.Build, dir string) error {
	r, err := t.describe()
	if err != nil {
		return err
	}
	folder := filepath.Dir(b.Binary)
	ctx, cancel := t.limits.deadline(ctx)
	defer cancel()
	// The detector reserves terabytes of address space, and a test's own time and output are what is to be bounded.
	limits := Limits{Time: t.limits.Time, Output: t.limits.Output}
	o, err := limits.run(ctx, filepath.Join(folder, moduleDir, filepath.FromSlash(dir)), t.environ(r, folder), b.Binary)
	if err != nil {
		return err
	}
	b.OK, b.Stop, b.Output = o.OK, o.Stop, hidePaths(o.Output, folder, r.goroot)
	if failed := detectorFailed.Find(b.Output); failed != nil {
		return fmt.Errorf("the race detector does not work on this machine: %s", failed)
	}
	return nil
}

// The errors of "go list" on a machine that cannot build with the race detector. cgo's message about a missing C compiler is in
// cmd/cgo/gcc.go.
var (
	noCompiler  = regexp.MustCompile(`(?m)^cgo: C compiler ".*" not found: `)
	unsupported = regexp.MustCompile(`(?m)^(go: )?-race is not supported on `)
)

// readyForRace builds the packages that every program with the race detector links with. It returns the settings that cgo needs, or
// what this machine lacks.
func (t *Toolchain) readyForRace(ctx context.Context) (cgo []string, lacks string, err error) {
	r, err := t.describe()
	if err != nil {
		return nil, "", err
	}
	// The C compiler that the reader chose with an environment variable or with "go env -w".
	env := t.inherited()
	if cc, ok := os.LookupEnv("CC"); ok {
		env = append(env, "CC="+cc)
	}
	cc, err := goEnv(env, "CC")
	if err != nil {
		return nil, "", err
	}
	cgo = []string{"CGO_ENABLED=1", "CC=" + cc[0]}
	cmd := exec.CommandContext(ctx, "go", "list", "-race", "-export", "runtime/cgo")
	cmd.Dir, cmd.Env = os.TempDir(), append(t.environ(r, ""), cgo...)
	var exit *exec.ExitError
	switch _, err := cmd.Output(); {
	case err == nil:
		return cgo, "", nil
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case !errors.As(err, &exit):
		return nil, "", fmt.Errorf("prepare the race detector: %w", err)
	case unsupported.Match(exit.Stderr):
		return nil, "another platform than " + t.goos + "/" + t.goarch, nil
	case noCompiler.Match(exit.Stderr):
		return nil, "a C compiler", nil
	default:
		return nil, "", fmt.Errorf("prepare the race detector: go list -race -export runtime/cgo: %s", hidePaths(bytes.TrimSpace(exit.Stderr), os.TempDir(), r.goroot))
	}
}
