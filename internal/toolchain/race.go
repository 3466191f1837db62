package toolchain

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"onthestack/internal/verdict"
)

// TestRace implements verdict.Racer: it runs the package's tests under the race detector.
func (t *Toolchain) TestRace(ctx context.Context, src verdict.Source) (b *verdict.Build, lacks string, err error) {
	if lacks, err = t.lacksForRace(ctx); lacks != "" || err != nil {
		return nil, lacks, err
	}
	b, err = t.build(ctx, src, "test", "-race", "-count=1", "-vet=off")
	return b, "", err
}

// lacksForRace says what this machine has not got for the race detector. It builds what every such program links with.
func (t *Toolchain) lacksForRace(ctx context.Context) (string, error) {
	r, err := t.describe()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-race", "-export", "runtime/cgo")
	cmd.Dir, cmd.Env = os.TempDir(), append(t.environ(r, ""), "CGO_ENABLED=1")
	var exit *exec.ExitError
	switch _, err := cmd.Output(); {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &exit) && strings.Contains(string(exit.Stderr), "not supported"):
		return "another platform than " + t.goos + "/" + t.goarch, nil
	case errors.As(err, &exit):
		return "a C compiler", nil
	default:
		return "", err
	}
}
