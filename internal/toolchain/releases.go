package toolchain

import (
	"context"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"strings"
)

// Newest returns the newest Go release that the module proxy lists, "go1.27.4". Pre-releases are left out.
func Newest(ctx context.Context) (string, error) {
	out, err := ask(ctx, nil, "list", "-m", "-versions", "go")
	if err != nil {
		return "", fmt.Errorf("ask for the newest Go release: %w", err)
	}
	newest := ""
	for _, field := range strings.Fields(out) {
		v := "go" + field
		if !version.IsValid(v) || strings.Contains(field, "rc") || strings.Contains(field, "beta") {
			continue
		}
		if newest == "" || version.Compare(v, newest) > 0 {
			newest = v
		}
	}
	if newest == "" {
		return "", fmt.Errorf("ask for the newest Go release: the answer lists none: %q", out)
	}
	return newest, nil
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
