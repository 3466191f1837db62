package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProofNeovim has a package measured and edited in Neovim, and a heap profile of it shown.
func TestProofNeovim(t *testing.T) {
	nvim := installed(t, "neovim.sh")
	script, err := filepath.Abs("testdata/neovim.lua")
	if err != nil {
		t.Fatal(err)
	}
	dir, tmp := moduleOf(t, withProfile(t)), t.TempDir()
	editor := exec.Command(nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n",
		"-c", "luafile "+script)
	editor.Env = append(os.Environ(), "MODULE="+dir, "CHECKALLOC="+program(t), "TMPDIR="+tmp, "GOWORK=off", "GOFLAGS=",
		"XDG_CACHE_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "GOCACHE="+goEnv(t, "GOCACHE"))
	out, err := editor.Output()
	if err != nil {
		t.Errorf("Neovim: %v", err)
	}
	const why = "the array that append grows moves to the heap"
	for _, want := range []string{
		"measured: hint 8: 106 allocs/op · 6816 B\n",
		"lens: 106 allocs/op, 6816 B/op · measure\n",
		"hover: **106 allocs/op · 6816 B** in BenchmarkLabels: " + why,
		"action: Hold this budget: //checkalloc:allocs<=106 bytes<=6816\n",
		"line 19: //checkalloc:allocs<=106 bytes<=6816\n",
		"edited: hint 9: 106 allocs/op · 6816 B (stale)\n",
		"diagnostic 19: BenchmarkLabels: 106 allocs/op, budget allocs<=1",
		"profile: hint 9: in production, 3 days ago: 20 allocs/request ± 6 %, 1280 B ± 6 %\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("Neovim does not print %q", want)
		}
	}
	if strings.Contains(string(out), "before:") || t.Failed() {
		t.Errorf("Neovim prints\n%s", out)
	}
	nothingLeft(t, tmp)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
