//go:build unix

package site

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramNotFetched tests what tools/setup/program.sh says if it can neither fetch nor build mdBook.
func TestProgramNotFetched(t *testing.T) {
	script, err := filepath.Abs("../../tools/setup/program.sh")
	if err != nil {
		t.Fatal(err)
	}
	// The go command tests again when a file has changed that a test reads, but it does not know what the shell reads.
	for _, name := range []string{script, filepath.Join(filepath.Dir(script), "need.sh")} {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	const withoutNetwork = "#!/bin/sh\ncase \"$*\" in *--version*) exit 0 ;; esac\n" +
		"echo no route to the index >&2\nexit 1\n"
	for name, c := range map[string]struct{ python, want, not string }{
		"pip without a network": {withoutNetwork, "no route to the index\npip could not fetch mdbook", "missing"},
		"neither pip nor cargo": {"", "missing: pip, which fetches mdBook, or cargo", "network"},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			for _, tool := range []string{"sh", "cat", "chmod", "dirname", "grep", "mkdir", "mktemp", "mv", "rm"} {
				found, err := exec.LookPath(tool)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(found, filepath.Join(path, tool)); err != nil {
					t.Fatal(err)
				}
			}
			if c.python != "" {
				if err := os.WriteFile(filepath.Join(path, "python3"), []byte(c.python), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), filepath.Join(path, "sh"), script, "mdbook")
			cmd.Env = []string{"PATH=" + path, "XDG_CACHE_HOME=" + t.TempDir(), "HOME=" + t.TempDir()}
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), c.not) {
				t.Errorf("%v, want %q and not %q:\n%s", err, c.want, c.not, out)
			}
		})
	}
}
