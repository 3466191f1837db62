//go:build unix

package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFetchAgain fetches a release from a go command that says twice, or for ever, that a proxy does not have it.
func TestFetchAgain(t *testing.T) {
	defer func(pause time.Duration) { fetchPause = pause }(fetchPause)
	fetchPause = 0
	for _, c := range []struct{ said, want, problem string }{
		{"go: download go1.21.13: toolchain not available", "/root", ""},
		{"go: no such host", "", "no such host"},
	} {
		dir := t.TempDir()
		tried := filepath.Join(dir, "tried")
		// It succeeds once the file has two lines.
		script := "#!/bin/sh\nif [ \"$(wc -l < " + tried + ")\" -ge 2 ]; then echo /root; exit 0; fi\n" +
			"echo x >> " + tried + "\necho '" + c.said + "' >&2\nexit 1\n"
		if err := os.WriteFile(tried, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		goroot, err := Fetch(t.Context(), "go1.21.13")
		if goroot != c.want || (err == nil) != (c.problem == "") ||
			err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %q, %v", c.said, goroot, err)
		}
	}
}
