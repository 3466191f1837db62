package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/gocommand"
)

// A golang is the installed Go, set up to build for js/wasm without the user's other settings.
type golang struct {
	release string // "go1.26.8"
	goroot  string
	env     []string
}

// findGo returns the Go that the go command uses in root, which is the release that the module selects.
func findGo(ctx context.Context, root string) (*golang, error) {
	// The locations of modules and caches remain as the user has set them.
	settings := []string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB"}
	values, err := gocommand.Env(ctx, gocommand.Options{Dir: root}, slices.Concat([]string{"GOVERSION", "GOROOT"}, settings)...)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("the go command is not on PATH: install Go 1.26 or newer (https://go.dev/dl/)")
	}
	if err != nil {
		return nil, err
	}
	// After the release, GOVERSION has the experiments that this Go was built with.
	release, _, _ := strings.Cut(values["GOVERSION"], " ")
	g := &golang{release: release, goroot: values["GOROOT"]}
	for _, name := range settings {
		g.env = append(g.env, name+"="+values[name])
	}
	g.env = append(g.env, "GOENV=off", "GOTOOLCHAIN=local", "GOROOT="+g.goroot, "GO111MODULE=on", "GOWORK=off",
		"GOFLAGS=",
		"GOOS="+goos, "GOARCH="+goarch, "GOWASM=", "GOEXPERIMENT=", "GODEBUG=", "GOFIPS140=off", "CGO_ENABLED=0",
		"LC_ALL=C")
	return g, nil
}

// run runs the go command in dir and returns what it prints.
func (g *golang) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	out, err := gocommand.Run(ctx, gocommand.Options{Path: filepath.Join(g.goroot, "bin", "go"), Dir: dir,
		Env: append(os.Environ(), g.env...)}, args...)
	if errors.As(err, new(*gocommand.Error)) {
		err = fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, err
}

// withoutModules returns g for commands that need no modules of the user. A Go that the go command downloaded is in the
// module cache, where the go command accepts no overlay for its packages.
func (g *golang) withoutModules(dir string) *golang {
	return &golang{g.release, g.goroot, append(slices.Clip(g.env), "GOMODCACHE="+filepath.Join(dir, "modules"))}
}
