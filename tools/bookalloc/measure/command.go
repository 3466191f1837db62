package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"onthestack/tools/bookalloc/listing"
)

// limit bounds one command, the first build with a release of Go included.
const limit = 5 * time.Minute

// environ is this process's environment without settings that change what Go builds or measures.
func environ(set ...string) []string {
	unwanted := []string{"GOFLAGS", "GODEBUG", "GOEXPERIMENT", "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GOOS", "GOARCH", "GOROOT", "GOWORK", "CGO_ENABLED", "PWD", "LC_ALL"}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(unwanted, name)
	})
	return slices.Concat(env, []string{"GOWORK=off", "CGO_ENABLED=0", "LC_ALL=C"}, set)
}

// output runs a command in dir and returns what it prints on stdout and stderr.
func output(ctx context.Context, dir string, env []string, command string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	// With PWD the command calls dir by this name, also where a link leads there: lines takes that name out.
	cmd.Dir, cmd.Env = dir, slices.Concat(env, []string{"PWD=" + dir})
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s took longer than %v", cmd, limit)
	case err != nil:
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return out, nil
}

// packageDir is the listing's folder on this machine.
func (m *Measurer) packageDir(name string) string {
	return filepath.Join(m.folder(), filepath.FromSlash(name))
}

// report returns the escape report as the compiler prints it to somebody who builds in the listing's folder.
func (m *Measurer) report(ctx context.Context, name string) ([]string, error) {
	out, err := output(ctx, m.packageDir(name), environ(), "go", "build", "-gcflags=-m=2", "-o", os.DevNull, ".")
	if err != nil {
		return nil, err
	}
	return m.lines(out), nil
}

// build builds the listing's test binary the way a reader does, in the folder dir.
func (m *Measurer) build(ctx context.Context, name, dir string) (binary string, err error) {
	binary = filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".test")
	_, err = output(ctx, m.packageDir(name), environ(), "go", "test", "-c", "-o", binary, ".")
	return binary, err
}

// pprof returns what pprof lists of the functions that match each expression, after 1000 operations of every benchmark.
func (m *Measurer) pprof(ctx context.Context, name string, expressions []string) (map[string][]string, error) {
	listings := map[string][]string{}
	if len(expressions) == 0 {
		return listings, nil
	}
	dir, err := os.MkdirTemp("", "bookalloc-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary, err := m.build(ctx, name, dir)
	if err != nil {
		return nil, err
	}
	profile := binary + ".mem"
	if _, err := output(ctx, m.packageDir(name), environ(), binary,
		"-test.run=^$", "-test.bench=.", "-test.benchtime=1000x", "-test.memprofile="+profile, "-test.memprofilerate=1"); err != nil {
		return nil, err
	}
	for _, expr := range expressions {
		out, err := output(ctx, m.packageDir(name), environ(), "go", "tool", "pprof", "-list", expr, profile)
		if err != nil {
			return nil, err
		}
		lines := slices.DeleteFunc(m.lines(out), func(line string) bool {
			_, source, ok := strings.Cut(line, ":")
			return ok && listing.IsAnchor(source)
		})
		if len(lines) < 2 {
			return nil, fmt.Errorf("pprof lists nothing for %q in %s: no function of that name allocated", expr, name)
		}
		listings[expr] = lines
	}
	return listings, nil
}

// lines splits what a command printed, with this machine's folders taken out.
func (m *Measurer) lines(out []byte) []string {
	out = bytes.ReplaceAll(out, []byte(m.Root+string(filepath.Separator)), nil)
	var lines []string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.TrimRight(line, " \t\r\n"))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
