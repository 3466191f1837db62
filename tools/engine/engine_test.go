package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

// repository is the repository's root, even if a test changes the working directory.
var repository, _ = filepath.Abs("../..")

func installed(t *testing.T) *golang {
	t.Helper()
	g, err := findGo(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// buildQuickly builds the engine of this repository into dir, and returns what build prints.
func buildQuickly(t *testing.T, dir string) string {
	t.Helper()
	t.Chdir(repository)
	var out bytes.Buffer
	if err := build(t.Context(), dir, true, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

func readManifest(t *testing.T, dir string) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestProofEngine builds the engine of this repository, and builds it again from the cache. It compresses quickly, as
// the Makefile does otherwise: compressing tightly takes minutes, and "make bench" has the limit on the compressed size.
func TestProofEngine(t *testing.T) {
	g, home := installed(t), os.Getenv("HOME")
	dir := filepath.Join(t.TempDir(), "engine")
	t.Log("\n" + buildQuickly(t, dir))
	m := readManifest(t, dir)
	if m.Schema != "onthestack/engine/1" || m.Go != g.release || m.GOOS != "js" || m.GOARCH != "wasm" {
		t.Errorf("manifest %+v", m)
	}

	wants := []string{manifestFile}
	for name, file := range map[string]string{"compile": "compile.wasm", "link": "link.wasm", "page": "page.wasm",
		"std": "std.pack", "exec": "wasm_exec.js"} {
		p := m.Parts[name]
		text, err := os.ReadFile(filepath.Join(dir, p.File))
		if err != nil {
			t.Fatal(err)
		}
		if want := contentName(file, text); p.File != want || p.Size != int64(len(text)) {
			t.Errorf("part %s is %+v, want %s with %d bytes", name, p, want, len(text))
		}
		for suffix, size := range map[string]int64{".br": p.BR, ".gz": p.GZ} {
			if info, err := os.Stat(filepath.Join(dir, p.File+suffix)); err != nil || info.Size() != size ||
				size >= p.Size {
				t.Errorf("the copy %s of %s, of %d bytes: %v, %v", suffix, p.File, size, info, err)
			}
		}
		for _, path := range []string{g.goroot, repository, home + string(filepath.Separator), os.TempDir() +
			string(filepath.Separator)} {
			if at := bytes.Index(text, []byte(path)); at >= 0 && name != "exec" {
				t.Errorf("%s has a path of this machine: %q", p.File, text[at:min(len(text), at+60)])
			}
		}
		wants = append(wants, p.File, p.File+".br", p.File+".gz")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(wants, entry.Name()) {
			t.Errorf("%s is none of the engine's", entry.Name())
		}
	}

	// The pack has all packages that exercises may need.
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog {
		for _, path := range e.Dependencies() {
			if !slices.Contains(m.Imports, path) {
				t.Errorf("%s may need %s, which is not in the engine", e.ID, path)
			}
		}
	}
	for _, path := range m.Imports {
		if strings.Contains(path, "internal") || strings.HasPrefix(path, "onthestack") || path == "syscall/js" {
			t.Errorf("programs may import %s", path)
		}
	}

	if out := buildQuickly(t, dir); strings.Contains(out, "compressed in") {
		t.Errorf("a finished part is compressed again:\n%s", out)
	}
	if again := readManifest(t, dir); again.Parts["std"] != m.Parts["std"] ||
		again.Parts["compile"] != m.Parts["compile"] {
		t.Errorf("the second build differs: %+v", again)
	}
}
