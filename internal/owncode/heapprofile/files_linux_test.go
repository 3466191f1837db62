package heapprofile

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"onthestack/internal/printable"
)

// TestFilesRefuses refuses what is no regular file without opening it, which would block on a named pipe, and what is not
// there: an address is the name of no file.
func TestFilesRefuses(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	line := printable.StatusFunc(func(string) {})
	for _, f := range []Files{
		{Profile: pipe}, {Profile: t.TempDir()}, {Profile: "files.go", Binary: pipe}, {Profile: "/dev/null"},
	} {
		if _, err := f.Explain(t.Context(), Options{}, line); err == nil ||
			!strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%+v: %v", f, err)
		}
	}
	for _, f := range []Files{{Profile: "-"}, {Profile: "http://127.0.0.1:1/debug/pprof/allocs"}} {
		if _, err := f.Explain(t.Context(), Options{}, line); err == nil ||
			!strings.Contains(err.Error(), "there is no such file") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
