package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"onthestack/internal/compilelink"
	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/gocommand"
)

// TestRace implements verdict.Racer: it builds the package's tests with the race detector and runs them or, if
// operations is not 0, that many operations of each benchmark. It skips that only if the machine has no C compiler
// or the platform has no race detector. A failure of the linker, of cgo or of the detector's own runtime is an error
// that contains the output.
func (t *Toolchain) TestRace(
	ctx context.Context,
	src execution.Source,
	operations int,
) (r execution.RaceResult, missing string, err error) {
	cgo, err := t.cgoSettings()
	if err != nil {
		return r, "", err
	}
	b, err := t.goBuild(ctx, src, cgo, "test", "-race", "-c", "-vet=off", "-ldflags="+stripFlags)
	if err != nil {
		return r, "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	switch {
	case b.OK:
		r, err = t.runRace(ctx, b.Binary, src.Dir, operations)
	case b.Stop.Kind != execution.NotStopped || blamesCode(b.Output):
		r = execution.RaceResult{Output: b.Output, Stop: b.Stop}
	default:
		if missing, err = t.missingForRace(ctx, cgo); missing == "" && err == nil {
			err = fmt.Errorf("build the tests with the race detector: %s", bytes.TrimSpace(b.Output))
		}
	}
	return r, missing, err
}

// blamesCode reports whether the output of a build has an error in the package's code: it has a position, or says that
// build constraints exclude all files.
func blamesCode(output []byte) bool {
	diagnostics, _ := escape.Parse(output)
	return len(diagnostics) > 0 || bytes.Contains(output, []byte("build constraints exclude all Go files"))
}

// detectorFailed matches the message with which the race detector's runtime ends a program that it cannot instrument,
// for example because of the address space's layout.
var detectorFailed = regexp.MustCompile(`(?m)^(==\d+==)?(FATAL|ERROR): ThreadSanitizer\b.*`)

// runRace runs a test binary in the folder of its package, as the go command would. dir is the package's path in the
// module.
func (t *Toolchain) runRace(
	ctx context.Context, binary, dir string, operations int,
) (execution.RaceResult, error) {
	none := execution.RaceResult{}
	r, err := t.describe()
	if err != nil {
		return none, err
	}
	folder := filepath.Dir(binary)
	ctx, cancel := t.limits.WithTimeout(ctx)
	defer cancel()
	// The detector reserves terabytes of address space, so only time and output are limited.
	limits := Limits{Time: t.limits.Time, Output: t.limits.Output}
	work := filepath.Join(folder, compilelink.Source, filepath.FromSlash(dir))
	// The detector otherwise sleeps for a second at the program's end, for races in goroutines that the tests did not
	// wait for.
	env := append(t.environ(r, folder), "GORACE=atexit_sleep_ms=0")
	var args []string
	if operations > 0 {
		args = []string{"-test.run=^$", "-test.bench=.", fmt.Sprintf("-test.benchtime=%dx", operations)}
	}
	o, err := limits.run(ctx, work, env, binary, args...)
	if err != nil {
		return none, err
	}
	output := r.hide(o.Output, folder)
	if failed := detectorFailed.Find(output); failed != nil {
		return none, fmt.Errorf("the race detector does not work on this machine: %s", failed)
	}
	return execution.RaceResult{Built: true, Passed: o.OK, Output: output, Stop: o.Stop}, nil
}

// The errors of "go list" on a machine that cannot build with the race detector. The message about a missing C compiler
// is in cmd/cgo/gcc.go.
var (
	noCompiler  = regexp.MustCompile(`(?m)^cgo: C compiler ".*" not found: `)
	unsupported = regexp.MustCompile(`(?m)^(go: )?-race is not supported on `)
)

// cgoSettings returns the settings that cgo needs. The user may have chosen a C compiler with an environment variable
// or with "go env -w".
func (t *Toolchain) cgoSettings() ([]string, error) {
	env := t.inherited()
	if cc, ok := os.LookupEnv("CC"); ok {
		env = append(env, "CC="+cc)
	}
	settings, err := goEnv(env, "CC")
	if err != nil {
		return nil, err
	}
	return []string{"CGO_ENABLED=1", "CC=" + settings["CC"]}, nil
}

// missingForRace names what this machine lacks for the race detector, or "" for nothing. It builds the packages that
// every program with the race detector links, and none of the solver's code, whose output could pretend anything.
func (t *Toolchain) missingForRace(ctx context.Context, cgo []string) (string, error) {
	r, err := t.describe()
	if err != nil {
		return "", err
	}
	o := gocommand.Options{Dir: os.TempDir(), Env: append(t.environ(r, ""), cgo...)}
	_, err = gocommand.Run(ctx, o, "list", "-race", "-export", "runtime/cgo")
	var failed *gocommand.Error
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", err
	case !errors.As(err, &failed):
		return "", fmt.Errorf("prepare the race detector: %w", err)
	case unsupported.MatchString(failed.Stderr):
		return "another platform than " + t.platform.goos + "/" + t.platform.goarch, nil
	case noCompiler.MatchString(failed.Stderr):
		return "a C compiler", nil
	default:
		return "", fmt.Errorf(
			"prepare the race detector: go list -race -export runtime/cgo: %s",
			r.hide([]byte(strings.TrimSpace(failed.Stderr)), os.TempDir()),
		)
	}
}
