package gocommand

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAnswers asks the go command for settings and for packages.
func TestAnswers(t *testing.T) {
	settings, err := Env(t.Context(), Options{Dir: t.TempDir(), Env: append(os.Environ(), "GOENV=off", "GOFLAGS=", "CC=a b")},
		"GOFLAGS", "CC", "GOOS")
	if err != nil || settings["CC"] != "a b" || settings["GOFLAGS"] != "" || settings["GOOS"] == "" {
		t.Errorf("settings %v: %v", settings, err)
	}
	type named struct{ ImportPath, Name string }
	packages, err := List[named](t.Context(), Options{}, "-json=ImportPath,Name", "fmt", "unicode/utf8")
	if want := []named{{"fmt", "fmt"}, {"unicode/utf8", "utf8"}}; err != nil || !slices.Equal(packages, want) {
		t.Errorf("packages %v: %v", packages, err)
	}
	var failed *Error
	if _, err := List[named](t.Context(), Options{}, "-json", "no/such/package"); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "no/such/package") {
		t.Errorf("error %v", err)
	}
}

// TestErrors has a go command that does not end, a go command whose answer cannot be read, and no go command.
func TestErrors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: this test replaces the go command by a shell script, which Windows does not run")
	}
	dir := t.TempDir()
	standIn := Options{Path: filepath.Join(dir, "go")}
	script := func(text string) {
		t.Helper()
		if err := os.WriteFile(standIn.Path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script("sleep 3600 & wait")
	standIn.Time = 100 * time.Millisecond
	var late Timeout
	if _, err := Run(t.Context(), standIn, "list"); !errors.As(err, &late) ||
		err.Error() != "go list took longer than 100ms and was stopped" {
		t.Errorf("error %v", err)
	}
	standIn.Time = 0
	script("echo go1.26.8")
	if _, err := Env(t.Context(), standIn, "GOVERSION"); err == nil ||
		err.Error() != `go env: unexpected answer "go1.26.8\n"` {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", dir+"none")
	if _, err := Run(t.Context(), Options{}, "list"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}
