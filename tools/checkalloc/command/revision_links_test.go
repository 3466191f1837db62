package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCheckoutLinks checks out a revision with symbolic links: one that leads out of the repository leads to the same
// file, and another one stays in the revision.
func TestCheckoutLinks(t *testing.T) {
	r := newRepository(t)
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.WriteFile(outside, []byte("package outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(filepath.Join(r.Dir, "page"), outside)
	if err != nil {
		t.Fatal(err)
	}
	r.Write("page/page.go", "package page\n")
	r.Write("inside.go", "package inside\n")
	for name, to := range map[string]string{"out.go": relative, "absolute.go": outside, "in.go": "../inside.go"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(r.Dir, "page", name)); err != nil {
			t.Skipf("NOT TESTED: links in a revision. This user may not make one: %v", err)
		}
	}
	r.Commit("links")
	r.Write("inside.go", "package changed\n")
	revision, err := findRevision(t.Context(), r.Dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := revision.checkout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.remove()
	for name, want := range map[string]string{"out.go": "outside", "absolute.go": "outside", "in.go": "inside"} {
		text, err := os.ReadFile(filepath.Join(tree.tree, "page", name))
		if err != nil || string(text) != "package "+want+"\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestCheckoutRaw tests that files are as the repository stores them, whatever its attributes say.
func TestCheckoutRaw(t *testing.T) {
	r := newRepository(t)
	r.Write(".gitattributes", "*.txt text eol=crlf\nid.go ident export-subst\nleft.go export-ignore\n"+
		"wide.go working-tree-encoding=UTF-16LE\n")
	files := map[string]string{"lines.txt": "one\ntwo\n", "id.go": "// $Id$ $Format:%H$\n", "left.go": "package left\n"}
	for name, text := range files {
		r.Write(name, text)
	}
	r.Write("wide.go", "w\x00\n\x00")
	r.Commit("attributes")
	files["wide.go"] = "w\n" // how it is stored
	revision, err := findRevision(t.Context(), r.Dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := revision.checkout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.remove()
	for name, want := range files {
		if text, err := os.ReadFile(filepath.Join(tree.tree, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
