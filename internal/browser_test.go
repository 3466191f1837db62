// Package internal has no code; its test checks what the packages below promise about one another.
package internal

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

// TestBrowser proves that what decides a verdict, plans builds and answers for programs builds for a browser page, and
// asks it for no processes and no network.
func TestBrowser(t *testing.T) {
	packages := []string{"./compilelink", "./escape", "./execution", "./exercise", "./harness", "./harness/wire",
		"./playground", "./profile", "./verdict"}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("go", append(args, packages...)...)
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
		return cmd
	}
	if out, err := command("build").CombinedOutput(); err != nil {
		t.Errorf("GOOS=js GOARCH=wasm go build: %v\n%s", err, out)
	}
	list := command("list", "-deps", "-json=ImportPath,Imports")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
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
			t.Errorf("%s is needed, which runs WebAssembly itself", p.ImportPath)
		}
		if !strings.HasPrefix(p.ImportPath, "onthestack/") {
			continue
		}
		ours++
		for _, path := range []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall"} {
			if slices.Contains(p.Imports, path) {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
	if ours < len(packages) {
		t.Errorf("%d packages of ours were listed, want %d at least", ours, len(packages))
	}
}
