package revision

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A repository is a git repository in a folder.
type repository struct {
	t   *testing.T
	dir string
}

// newRepository makes an empty repository that no configuration of the user's changes. If git is not installed, the test
// is skipped; in continuous integration it fails.
func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not on PATH")
		}
		t.Skip("NOT TESTED: this test makes a repository, and git is not on PATH")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	r := repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@example.com"},
		args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

func (r repository) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits all files and returns the revision.
func (r repository) commit() *Revision {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "all")
	found, err := Find(r.t.Context(), r.dir, "HEAD")
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

func (r repository) checkout(found *Revision) *Checkout {
	r.t.Helper()
	tree, err := found.Checkout(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := tree.Remove(); err != nil {
			r.t.Error(err)
		}
	})
	return tree
}

// TestCheckoutLinks checks out a revision with symbolic links: one that leads out of the repository leads to the same
// file, and another one stays in the revision.
func TestCheckoutLinks(t *testing.T) {
	r := newRepository(t)
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.WriteFile(outside, []byte("package outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(filepath.Join(r.dir, "page"), outside)
	if err != nil {
		t.Fatal(err)
	}
	r.write("page/page.go", "package page\n")
	r.write("inside.go", "package inside\n")
	for name, to := range map[string]string{"out.go": relative, "absolute.go": outside, "in.go": "../inside.go"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(r.dir, "page", name)); err != nil {
			t.Skipf("NOT TESTED: links in a revision. This user may not make one: %v", err)
		}
	}
	found := r.commit()
	r.write("inside.go", "package changed\n")
	tree := r.checkout(found)
	for name, want := range map[string]string{"out.go": "outside", "absolute.go": "outside", "in.go": "inside"} {
		text, err := os.ReadFile(filepath.Join(tree.Tree, "page", name))
		if err != nil || string(text) != "package "+want+"\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestCheckoutRaw tests that files are as the repository stores them, whatever its attributes say.
func TestCheckoutRaw(t *testing.T) {
	r := newRepository(t)
	r.write(".gitattributes", "*.txt text eol=crlf\nid.go ident export-subst\nleft.go export-ignore\n"+
		"wide.go working-tree-encoding=UTF-16LE\n")
	files := map[string]string{"lines.txt": "one\ntwo\n", "id.go": "// $Id$ $Format:%H$\n", "left.go": "package left\n"}
	for name, text := range files {
		r.write(name, text)
	}
	r.write("wide.go", "w\x00\n\x00")
	tree := r.checkout(r.commit())
	files["wide.go"] = "w\n" // how it is stored
	for name, want := range files {
		if text, err := os.ReadFile(filepath.Join(tree.Tree, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestCheckedOut changes the working tree of a revision. Only files from which the go command builds count.
func TestCheckedOut(t *testing.T) {
	r := newRepository(t)
	r.write("go.mod", "module example.com/m\n")
	r.write("a.go", "package m\n")
	r.write("doc/readme.txt", "one\n")
	found := r.commit()
	for _, test := range []struct {
		name, file, text string
		want             bool
	}{
		{"as committed", "a.go", "package m\n", true},
		{"a text", "doc/readme.txt", "two\n", true},
		{"a folder that is not built", "testdata/b.go", "package b\n", true},
		{"a new file", "c/c.go", "package c\n", false},
		{"a changed file", "a.go", "package n\n", false},
		{"another module", "go.mod", "module example.com/n\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.write(test.file, test.text)
			got, err := found.CheckedOut(t.Context())
			if err != nil || got != test.want {
				t.Errorf("%v, %v; want %v", got, err, test.want)
			}
			r.git("checkout", "-q", "--", ".")
			r.git("clean", "-q", "-d", "-f")
		})
	}
	if err := os.Remove(filepath.Join(r.dir, "a.go")); err != nil {
		t.Fatal(err)
	}
	if got, err := found.CheckedOut(t.Context()); err != nil || got {
		t.Errorf("without a file: %v, %v", got, err)
	}
}

// TestFind tests the errors for what is no revision.
func TestFind(t *testing.T) {
	r := newRepository(t)
	r.write("page/page.go", "package page\n")
	found := r.commit()
	if found.Folder != "" || !strings.HasPrefix(found.Label(), "HEAD (") {
		t.Errorf("%+v, %s", found, found.Label())
	}
	for _, name := range []string{"nowhere", "--help", "HEAD:page"} {
		if _, err := Find(t.Context(), r.dir, name); err == nil || !strings.Contains(err.Error(), "no such revision") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
