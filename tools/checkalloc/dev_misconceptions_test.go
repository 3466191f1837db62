package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// TestProofMisconceptions tests that the misconceptions still have the verdicts that the instructors' pages show, for
// the sample of exercises that the Makefile has chosen, and without one for all.
func TestProofMisconceptions(t *testing.T) {
	var out, stderr bytes.Buffer
	args := append([]string{"dev", "misconceptions", "--check", "--dir", filepath.Join("..", "..")},
		strings.Fields(os.Getenv("SAMPLE"))...)
	if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
		t.Errorf("exit code %d\n%s%s", code, &out, &stderr)
	}
}
