package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// TestProofMisconceptions tests that the misconceptions still have the verdicts that the instructors' pages show.
func TestProofMisconceptions(t *testing.T) {
	var out, stderr bytes.Buffer
	args := []string{"dev", "misconceptions", "--check", "--dir", filepath.Join("..", "..")}
	if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
		t.Errorf("exit code %d\n%s%s", code, &out, &stderr)
	}
}
