package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPages writes the pages. There is one for each command, and man formats it without a warning.
func TestPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	var stdout, stderr bytes.Buffer
	if code := run([]string{dir}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Log("NOT TESTED: man, which is not installed, formats no page")
	}
	for name, want := range map[string][]string{
		"checkalloc": {"checkalloc EXERCISE... | all: check one exercise", "--format", "1 not yet",
			"checkalloc-watch(1)"},
		"checkalloc-watch":     {"check an exercise, or the next one, on each save", "--dir"},
		"checkalloc-compare":   {"checkalloc compare --base REV [PKG]", "--markdown"},
		"checkalloc-dev-check": {"check that exercises work", "--brief"},
	} {
		page := filepath.Join(dir, name+".1")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		// Without the marks of bold text and of dashes.
		plain := strings.NewReplacer(`\fB`, "", `\fP`, "", `\fR`, "", `\-`, "-").Replace(string(text))
		for _, w := range want {
			if !strings.Contains(plain, w) {
				t.Errorf("%s lacks %q:\n%s", name, w, plain)
			}
		}
		if man != "" {
			cmd := exec.Command(man, "--warnings", "-l", page)
			cmd.Env = append(os.Environ(), "MANPAGER=cat", "LC_ALL=C.UTF-8")
			var warnings bytes.Buffer
			cmd.Stderr = &warnings
			if out, err := cmd.Output(); err != nil || warnings.Len() > 0 || len(out) == 0 {
				t.Errorf("%s: %v, %d bytes: %s", name, err, len(out), &warnings)
			}
		}
	}
	if code := run(nil, &stdout, &stderr); code != 2 {
		t.Errorf("without a folder: exit code %d", code)
	}
}
