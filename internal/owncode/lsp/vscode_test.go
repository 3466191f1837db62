package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProofVSCode has a package measured and edited in VS Code, by its extension, and a heap profile of it shown. The steps are in web/test/vscode.
func TestProofVSCode(t *testing.T) {
	if os.Getenv("CHROMIUM") == "" {
		t.Skip("NOT TESTED IN VS CODE: CHROMIUM names no browser")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	const libraries = "web/node_modules/.done"
	const extension = ".cache/dist/checkalloc.vsix"
	build := exec.CommandContext(t.Context(), "make", libraries, extension)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make %s %s: %v\n%s", libraries, extension, err, out)
	}
	tmp := t.TempDir()
	browse := exec.CommandContext(t.Context(), "node", "test/run.mjs", "vscode")
	browse.Dir = filepath.Join(root, "web")
	browse.Env = append(os.Environ(), "CODE_SERVER="+installed(t, "code-server.sh"), "CHECKALLOC="+program(t),
		"VSIX="+filepath.Join(root, extension), "MODULE="+moduleOf(t, withProfile(t)), "TMPDIR="+tmp, "GOWORK=off", "GOFLAGS=")
	if out, err := browse.CombinedOutput(); err != nil {
		t.Errorf("the extension in a browser: %v\n%s", err, out)
	}
	nothingLeft(t, tmp)
}
