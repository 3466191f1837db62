package toolchain

import (
	"context"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Ends returns the newest patch of Oldest and the newest release of all, "go1.26.11" and "go1.27.4", as the module proxy lists
// them; one, where they are the same. Pre-releases are left out.
func Ends(ctx context.Context) ([]string, error) {
	out, err := ask(ctx, nil, "list", "-m", "-versions", "go")
	if err != nil {
		return nil, fmt.Errorf("ask for the Go releases: %w; name some with --go instead", err)
	}
	var oldest, newest string
	for _, field := range strings.Fields(out) {
		v := "go" + field
		if !version.IsValid(v) || strings.Contains(field, "rc") || strings.Contains(field, "beta") {
			continue
		}
		if version.Lang(v) == Oldest && (oldest == "" || version.Compare(v, oldest) > 0) {
			oldest = v
		}
		if newest == "" || version.Compare(v, newest) > 0 {
			newest = v
		}
	}
	if oldest == "" {
		return nil, fmt.Errorf("ask for the Go releases: the answer lists no %s: %q; name some with --go instead", Oldest, out)
	}
	return slices.Compact([]string{oldest, newest}), nil
}

// Fetch brings a Go release onto the machine, as a module, where it is not there yet.
func Fetch(ctx context.Context, release string) error {
	if _, err := ask(ctx, []string{"GOTOOLCHAIN=" + release}, "version"); err != nil {
		return fmt.Errorf("fetch %s: %w", release, err)
	}
	return nil
}

// ask runs the go command outside any module, with the caller's own settings for proxies.
func ask(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = os.TempDir()
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), env...)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return "", fmt.Errorf("%s", strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
