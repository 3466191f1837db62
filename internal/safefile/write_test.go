package safefile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/safefile"
)

// TestWrite creates and replaces a file, and fails where a folder has its name. Nothing else is left in the folder.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name, taken := filepath.Join(dir, "file"), filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second and longer", ""} {
		if err := safefile.Write(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("the file has %q, %v; want %q", got, err, text)
		}
	}
	if err := safefile.Write(taken, nil, 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	missing := filepath.Join(dir, "missing", "file")
	if err := safefile.Write(missing, nil, 0o600); err == nil || !strings.Contains(err.Error(), " "+missing+": ") {
		t.Errorf("the error for a folder that does not exist is %v, and does not name the file", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"file", "taken"}; !slices.Equal(names, want) {
		t.Errorf("the folder has %q, want %q", names, want)
	}
}
