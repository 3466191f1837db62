package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	t.Chdir(repository)
	wrong := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if code := run(args, &out, &out); code != 2 {
			t.Fatalf("engine %q: exit code %d\n%s", args, code, out.String())
		}
		return out.String()
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {""}, {"--help"}, {"a", "b"}, {"-quick"}, {"-quick", "a", "b"}} {
		if out := wrong(args...); !strings.Contains(out, "usage: engine [-quick] DIR") {
			t.Errorf("engine %q says %s", args, out)
		}
	}
	if out := wrong(other); !strings.Contains(out, other+" has files that are not the engine's") ||
		!strings.Contains(out, "name another folder") {
		t.Errorf("a folder with other files: %s", out)
	}
	t.Chdir(other)
	if out := wrong("engine"); !strings.Contains(out, "in the repository's root") {
		t.Errorf("elsewhere: %s", out)
	}
}
