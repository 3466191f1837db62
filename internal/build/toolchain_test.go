package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"onthestack/internal/execution"
)

func build(t *testing.T, tools *Toolchain, files map[string]string) (*execution.Build, error) {
	t.Helper()
	src := execution.Source{Files: map[string][]byte{}}
	for name, text := range files {
		src.Files[name] = []byte(text)
	}
	return tools.BuildTest(t.Context(), src)
}

// standIn replaces the go command by a shell script.
func standIn(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: this test replaces the go command by a shell script, which Windows does not run")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOCACHE", t.TempDir())
}

const answers = "if [ $1 = env ]; then\n" +
	`printf '{"GOVERSION":"go1.26.8","GOROOT":"/stand/in","GOTOOLDIR":"/stand/in/tool","GOCACHE":"%s"}' "$GOCACHE"` +
	"\nexit\nfi\n"

func TestVersion(t *testing.T) {
	if v, err := New(DefaultLimits()).Version(); err != nil || !strings.HasPrefix(v, "go1.") {
		t.Errorf("%s, %v", v, err)
	}
}

func TestTooOld(t *testing.T) {
	standIn(t, strings.Replace(answers, "go1.26.8", "go1.25.3", 1))
	if _, err := New(DefaultLimits()).Version(); err == nil ||
		!strings.Contains(err.Error(), "Go 1.25.3 is too old: install Go 1.26 or newer") {
		t.Errorf("error %v", err)
	}
}

func TestOddAnswers(t *testing.T) {
	standIn(t, "echo go1.26.8")
	if _, err := New(DefaultLimits()).Version(); err == nil || !strings.Contains(err.Error(), "unexpected answer") {
		t.Errorf("error %v", err)
	}
	standIn(t, "echo no such toolchain >&2; exit 1")
	if _, err := New(DefaultLimits()).Version(); err == nil || !strings.Contains(err.Error(), "no such toolchain") {
		t.Errorf("error %v", err)
	}
}

func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := build(t, New(DefaultLimits()), nil); err == nil ||
		!strings.Contains(err.Error(), "the go command is not on PATH: install Go 1.26 or newer") {
		t.Errorf("error %v", err)
	}
}

func TestPathsHidden(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	b, err := build(
		t,
		New(DefaultLimits()),
		map[string]string{"main.go": "package main\n\nimport \"nowhere/at/all\"\n\nfunc main() { x }\n"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if b.OK || len(b.Output) == 0 {
		t.Errorf("OK %v, output %q", b.OK, b.Output)
	}
	goroot, err := ask(t.Context(), nil, "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{tmp, strings.TrimSpace(goroot)} {
		if strings.Contains(string(b.Output), hidden) {
			t.Errorf("%s is in %s", hidden, b.Output)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestTimeout proves that a build that takes too long is killed together with the processes that it started.
func TestTimeout(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "started")
	// Only the limit ends it before the tests' own time is over.
	standIn(t, answers+"sh -c 'echo $$ > "+mark+"; exec sleep 3600' &\nwait\n")
	for limit := 200 * time.Millisecond; ; limit *= 2 {
		b, err := build(t, New(Limits{Time: limit, Output: 1 << 20}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if b.OK || b.Stop != (execution.Stop{Kind: execution.BuildTime, Time: limit}) {
			t.Fatalf("OK %v, stopped %q", b.OK, b.Stop)
		}
		text, err := os.ReadFile(mark)
		if pid := strings.TrimSpace(string(text)); err == nil && pid != "" {
			for deadline := time.Now().Add(2 * time.Minute); exec.Command("kill", "-0",
				pid).Run() == nil; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("a process that the build started goes on")
				}
			}
			return
		}
		// On a busy machine the build may have been stopped before it started anything.
	}
}

func TestOutputBound(t *testing.T) {
	standIn(t, answers+"yes 0123456789\n")
	b, err := build(t, New(Limits{Time: 20 * time.Second, Output: 2 << 20}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.OK || b.Stop != (execution.Stop{Kind: execution.Output, Bytes: 2 << 20}) || len(b.Output) > 2<<20 {
		t.Errorf("OK %v, stopped %q, %d bytes", b.OK, b.Stop, len(b.Output))
	}
}

func TestCanceled(t *testing.T) {
	standIn(t, answers+"mkdir \"${GOTMPDIR:-$TMPDIR}/go-build1\"\nsleep 20\n")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	tools := New(DefaultLimits())
	if _, err := tools.Version(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("gone home"))
	defer cancel()
	if _, err := tools.BuildTest(ctx, execution.Source{}); err == nil || err.Error() != "gone home" {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOutside(t *testing.T) {
	for _, name := range []string{"../x.go", "/x.go", "a/../../x.go", ""} {
		if _, err := build(t, New(DefaultLimits()), map[string]string{name: "package x\n"}); err == nil ||
			!strings.Contains(err.Error(), "leads out of the module") {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// TestEnvironment proves that neither the user's environment variables nor settings of "go env -w" change anything.
func TestEnvironment(t *testing.T) {
	written := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(written, []byte("GOFLAGS=-race\nGOOS=plan9\nGOARCH=386\nGO111MODULE=off\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", written)
	builds(t)
	for name, value := range map[string]string{
		"GOFLAGS": "-tags=x -gcflags=-N", "GOWORK": "/nowhere/go.work", "GOEXPERIMENT": "nosuch", "GOOS": "plan9",
		"GOARCH": "386", "GO111MODULE": "off",
	} {
		t.Setenv(name, value)
	}
	builds(t)
}

// builds proves that a program builds for this machine.
func builds(t *testing.T) {
	t.Helper()
	b, err := build(t, New(DefaultLimits()), map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if !b.OK || b.GOOS != runtime.GOOS || b.GOARCH != runtime.GOARCH {
		t.Errorf("OK %v, %s/%s\n%s", b.OK, b.GOOS, b.GOARCH, b.Output)
	}
}

// TestNoCache proves that a build cache that the go command cannot use is an error, and not a mistake in the code.
func TestNoCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{"off", "relative", filepath.Join(file, "cache")} {
		t.Setenv("GOCACHE", cache)
		if _, err := build(t, New(DefaultLimits()), nil); err == nil ||
			!strings.Contains(err.Error(), "set GOCACHE, or HOME, to a folder") {
			t.Errorf("%s: error %v", cache, err)
		}
	}
}
