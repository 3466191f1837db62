package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Environ is this process's environment without settings that change what Go builds or measures, and with those of set.
func Environ(set ...string) []string {
	unwanted := []string{"GOFLAGS", "GODEBUG", "GOEXPERIMENT", "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GOOS", "GOARCH", "GOROOT", "GOWORK", "CGO_ENABLED", "PWD", "LC_ALL"}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(unwanted, name)
	})
	return slices.Concat(env, []string{"GOWORK=off", "CGO_ENABLED=0", "LC_ALL=C"}, set)
}

// commandTime bounds one command, the first build with a release of Go included.
const commandTime = 5 * time.Minute

// Output runs a command that is trusted, in dir, and returns what it prints on stdout and stderr. The error of one that fails
// holds that too.
func Output(ctx context.Context, dir string, env []string, command string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	// With PWD the command calls dir by this name, also where a link leads there.
	cmd.Dir, cmd.Env = dir, slices.Concat(env, []string{"PWD=" + dir})
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s took longer than %v", cmd, commandTime)
	case err != nil:
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return out, nil
}
