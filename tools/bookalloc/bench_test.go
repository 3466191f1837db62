package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var benched = regexp.MustCompile(`(?m)^\{\{#bench (\S+)\}\}$`)

// TestProofBenchPrograms runs each listing that a page lets its reader run with its benchmarks, as the one file that
// the page has.
func TestProofBenchPrograms(t *testing.T) {
	_, book, err := openBook()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module play\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, p := range book.Pages {
		for _, found := range benched.FindAllStringSubmatch(p.Text, -1) {
			body, err := book.BenchProgram(found[1])
			if err != nil {
				t.Fatal(err)
			}
			names++
			folder := filepath.Join(dir, fmt.Sprintf("p%d", names))
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "prog_test.go"), []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if names == 0 {
		t.Fatal("no page runs a benchmark")
	}
	cmd := exec.Command("go", "test", "-bench=.", "-benchtime=10x", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
