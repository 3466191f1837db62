package build

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"onthestack/internal/gocommand"
)

// Ends returns the newest patch of Oldest and the newest release of all, "go1.26.11" and "go1.27.4", or one release if
// they are the same.
func Ends(ctx context.Context) ([]string, error) {
	releases, err := Releases(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w; name some with --go instead", err)
	}
	i := slices.IndexFunc(releases, func(v string) bool { return version.Lang(v) == Oldest })
	if i < 0 {
		return nil, fmt.Errorf("ask for the Go releases: the answer has no %s; name some with --go instead", Oldest)
	}
	return slices.Compact([]string{releases[i], releases[len(releases)-1]}), nil
}

// Releases returns the newest patch of each minor release of Go that is available as a module for this platform, oldest
// first: "go1.4.3", "go1.5.4", … Pre-releases are left out.
func Releases(ctx context.Context) ([]string, error) {
	out, err := ask(ctx, nil, "list", "-m", "-versions", "golang.org/toolchain")
	if err != nil {
		return nil, fmt.Errorf("ask for the Go releases: %w", err)
	}
	newest := map[string]string{}
	for _, field := range strings.Fields(out) {
		// "v0.0.1-go1.8.7.linux-amd64"
		v, ok := strings.CutSuffix(strings.TrimPrefix(field, "v0.0.1-"), "."+runtime.GOOS+"-"+runtime.GOARCH)
		if !ok || !version.IsValid(v) || strings.Contains(v, "rc") || strings.Contains(v, "beta") {
			continue
		}
		if minor := version.Lang(v); newest[minor] == "" || version.Compare(v, newest[minor]) > 0 {
			newest[minor] = v
		}
	}
	if len(newest) == 0 {
		return nil, fmt.Errorf("ask for the Go releases: none for %s/%s in the answer", runtime.GOOS, runtime.GOARCH)
	}
	return slices.SortedFunc(maps.Values(newest), version.Compare), nil
}

// A NoReleaseError says that a minor release is not available for this platform.
type NoReleaseError string

func (e NoReleaseError) Error() string { return string(e) }

// Newest returns the newest patch of each minor release, "go1.27.4" for "go1.27", and each once. A release with a patch
// stays as it is.
func Newest(ctx context.Context, releases ...string) (patches []string, err error) {
	var known []string
	for _, release := range releases {
		if release == version.Lang(release) {
			if known == nil {
				if known, err = Releases(ctx); err != nil {
					return nil, fmt.Errorf("%w; without a network name a patch that is on this machine, such as %s.1",
						err, release)
				}
			}
			i := slices.IndexFunc(known, func(v string) bool { return version.Lang(v) == release })
			if i < 0 {
				return nil, NoReleaseError(fmt.Sprintf("there is no %s for this platform: the newest release is %s",
					release, known[len(known)-1]))
			}
			release = known[i]
		}
		if !slices.Contains(patches, release) {
			patches = append(patches, release)
		}
	}
	return patches, nil
}

const (
	// notAvailable is what the go command says if a proxy answers that it does not have a release. A proxy that has to
	// fetch the release itself may say so at first.
	notAvailable = "toolchain not available"
	fetchTries   = 3
)

// fetchPause is the time between two tries.
var fetchPause = 2 * time.Second

// Fetch downloads a Go release as a module, unless it is on the machine, and returns its GOROOT.
func Fetch(ctx context.Context, release string) (goroot string, err error) {
	for try := 1; ; try++ {
		out, err := ask(ctx, []string{"GOTOOLCHAIN=" + release, "GOROOT="}, "env", "GOROOT")
		if err == nil {
			return strings.TrimSpace(out), nil
		}
		err = fmt.Errorf("fetch %s: %w", release, err)
		if try == fetchTries || !strings.Contains(err.Error(), notAvailable) {
			return "", err
		}
		select {
		case <-time.After(fetchPause):
		case <-ctx.Done():
			return "", err
		}
	}
}

// ask runs the go command outside any module, with the user's own proxy settings.
func ask(ctx context.Context, env []string, args ...string) (string, error) {
	out, err := gocommand.Run(ctx, gocommand.Options{Dir: os.TempDir(), Env: downloadEnviron(env...)}, args...)
	if errors.Is(err, exec.ErrNotFound) {
		return "", NoGo(Oldest)
	}
	return string(out), err
}

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
