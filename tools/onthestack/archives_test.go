package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestProofArchives builds the archive of checkalloc for this platform twice, and gets the same bytes: their checksum
// holds, and the program in it runs.
func TestProofArchives(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: make archives, which needs GNU tar")
	}
	root := filepath.Join("..", "..")
	var sums []byte
	for i := range 2 {
		// Another folder must not matter.
		cache := t.TempDir()
		runIn(t, root, "make", "archives", "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH, "CACHE="+cache)
		dir := filepath.Join(cache, "archives")
		runIn(t, dir, "sha256sum", "--check", "--strict", "SHA256SUMS")
		text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && !bytes.Equal(text, sums) {
			t.Errorf("the second build differs:\n%s%s", sums, text)
		}
		sums = text
		_, name, _ := strings.Cut(strings.TrimSpace(string(text)), "  ")
		if !strings.HasSuffix(name, "-"+runtime.GOOS+"-"+runtime.GOARCH+".tar.gz") {
			t.Fatalf("the archive is %q", name)
		}
		runIn(t, dir, "tar", "-xzf", name)
		if out := runIn(t, dir, "./checkalloc", "--help"); !strings.Contains(out, "checkalloc explain") {
			t.Errorf("checkalloc --help prints %s", out)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		check := exec.Command("sha256sum", "--check", "--status", "SHA256SUMS")
		check.Dir = dir
		if check.Run() == nil {
			t.Error("the checksum of a changed archive holds")
		}
	}
}

func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
