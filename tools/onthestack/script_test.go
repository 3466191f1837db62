package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"onthestack/internal/sandbox/jail"
)

func TestMain(m *testing.M) {
	jail.Main()
	testscript.Main(m, map[string]func(){
		"onthestack": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the program in empty folders, with Go on PATH and without: $ALONE is a PATH with this program alone.
func TestScript(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ALONE", filepath.SplitList(e.Getenv("PATH"))[0])
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // an empty one has no standard library
			return nil
		},
	})
}
