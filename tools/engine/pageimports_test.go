package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPageImports tests that no package of the page's program imports what a browser does not have, processes, files
// and the network, nor the engine that runs WebAssembly on a server. Such an import often still compiles.
func TestPageImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./page")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(p.ImportPath, "github.com/tetratelabs/") {
			t.Errorf("%s is a dependency", p.ImportPath)
		}
		if !strings.HasPrefix(p.ImportPath, "onthestack/internal/") {
			continue
		}
		listed[p.ImportPath] = true
		for _, path := range []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall"} {
			if slices.Contains(p.Imports, path) {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
	for _, name := range []string{"compilelink", "programs", "verdict"} {
		if !listed["onthestack/internal/"+name] {
			t.Errorf("package %s was not listed", name)
		}
	}
}
