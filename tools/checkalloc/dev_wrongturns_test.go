package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// TestProofWrongTurns tests that the misconceptions still have the verdicts that the instructors' pages show.
func TestProofWrongTurns(t *testing.T) {
	var out, stderr bytes.Buffer
	args := []string{"dev", "wrongturns", "--check", "--dir", filepath.Join("..", "..")}
	if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
		t.Errorf("exit code %d\n%s%s", code, &out, &stderr)
	}
}
