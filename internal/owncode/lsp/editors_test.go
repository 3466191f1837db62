package lsp

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProofEditors has a package measured and edited by pytest-lsp, which acts as several editors do.
func TestProofEditors(t *testing.T) {
	python := installed(t, "pytest-lsp.sh")
	dir, tmp := moduleOf(t, label), t.TempDir()
	script, err := filepath.Abs("testdata/test_editors.py")
	if err != nil {
		t.Fatal(err)
	}
	pytest := exec.CommandContext(t.Context(), python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
		"-o", "asyncio_default_fixture_loop_scope=function", "-W", "error::pytest_lsp.LspSpecificationWarning",
		"--rootdir", dir, "-c", os.DevNull, script)
	pytest.Env = append(os.Environ(), "MODULE="+dir, "CHECKALLOC="+program(t), "TMPDIR="+tmp, "GOWORK=off", "GOFLAGS=")
	out, err := pytest.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("4 passed")) {
		t.Errorf("pytest: %v\n%s", err, out)
	}
	nothingLeft(t, tmp)
}

// installed returns the program that a script of tools/setup installs, and skips the test if there is none.
func installed(t *testing.T, script string) string {
	t.Helper()
	setup := exec.Command("sh", "../../../tools/setup/"+script)
	setup.Stderr = os.Stderr
	out, err := setup.Output()
	path := strings.TrimSpace(string(out))
	switch {
	case err != nil:
		t.Fatalf("%s: %v", script, err)
	case path == "":
		t.Skipf("NOT TESTED IN AN EDITOR: %s installs nothing here", script)
	}
	return path
}

// program builds checkalloc.
func program(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "checkalloc")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "../../../tools/checkalloc")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// moduleOf writes the files of a module into a new folder.
func moduleOf(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// withProfile returns the files of label, and a heap profile of it.
func withProfile(t *testing.T) map[string]string {
	files := maps.Clone(label)
	files["allocs.pb.gz"] = sampled(t, 10_000_000, "")
	return files
}

// nothingLeft fails if the server has left a file of its own in the folder for temporary files.
func nothingLeft(t *testing.T, tmp string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tmp, "checkalloc-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
