package escape

import (
	goparser "go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestBrowser proves that the package builds for a browser page and asks it for
// nothing but text.
func TestBrowser(t *testing.T) {
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := goparser.ParseFile(token.NewFileSet(), file, nil, goparser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if path == "os" || strings.HasPrefix(path, "os/") || path == "net" || strings.HasPrefix(path, "net/") || path == "syscall" {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
	needGo(t)
	cmd := exec.Command("go", "build", ".")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("GOOS=js GOARCH=wasm go build: %v\n%s", err, out)
	}
}
