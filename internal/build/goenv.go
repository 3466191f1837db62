package build

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"strings"

	"onthestack/internal/gocommand"
)

// A platform is what a build is for.
type platform struct{ goos, goarch string }

// A release is the Go release that builds, with settings of the go command on this machine.
type release struct {
	version, goroot, toolDir string
	settings                 map[string]string // by name, such as GOCACHE
}

// queryGo asks the go command for its release, and for the settings with those names.
func queryGo(env []string, names ...string) (release, error) {
	settings, err := goEnv(env, append([]string{"GOVERSION", "GOROOT", "GOTOOLDIR"}, names...)...)
	if err != nil {
		return release{}, err
	}
	r := release{version: settings["GOVERSION"], goroot: settings["GOROOT"], toolDir: settings["GOTOOLDIR"],
		settings: settings}
	return r, newEnough(r.version)
}

// goEnv asks the go command for settings.
func goEnv(env []string, names ...string) (map[string]string, error) {
	// The command runs outside any module, so that no go.mod of the user's selects another toolchain.
	settings, err := gocommand.Env(context.Background(), gocommand.Options{Dir: os.TempDir(), Env: env}, names...)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, NoGo(Oldest)
	case errors.As(err, new(*gocommand.Error)):
		return nil, fmt.Errorf("go env: %w", err)
	}
	return settings, err
}

// newEnough returns an error if the release of Go cannot build the workbook's programs.
func newEnough(release string) error {
	if v := goVersion(release); version.IsValid(v) && version.Compare(v, Oldest) < 0 {
		return noGo(fmt.Sprintf("Go %s is too old: install Go %s or newer (https://go.dev/dl/)",
			strings.TrimPrefix(release, "go"), strings.TrimPrefix(Oldest, "go")))
	}
	return nil
}

// goVersion returns the version in a GOVERSION, which may have more after it: "go1.26.8 X:nogreenteagc".
func goVersion(s string) string {
	v, _, _ := strings.Cut(s, " ")
	return v
}
