package command

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// TestMain puts checkalloc, without exercises, on PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"checkalloc": func() {
		os.Exit(Run(app.New(nil, sandbox.CheckLimits(), "checkalloc", os.Stdin, os.Stdout, os.Stderr), os.Args[1:]))
	}})
}

// A repository is a git repository in a folder.
type repository struct {
	T   *testing.T
	Dir string
}

// newRepository makes an empty repository in a new folder for temporary files. Neither the user's configuration of git nor a
// repository around the folder has an effect. If git is not installed, the test is skipped; in continuous integration
// it fails.
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
	t.Setenv("GIT_CEILING_DIRECTORIES", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	r := repository{t, t.TempDir()}
	r.Git("init", "-q", "-b", "main")
	return r
}

// Git runs git in the repository and returns what it prints.
func (r repository) Git(args ...string) string {
	r.T.Helper()
	cmd := exec.Command(
		"git",
		append([]string{"-C", r.Dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.T.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write writes a file.
func (r repository) Write(name, text string) {
	r.T.Helper()
	name = filepath.Join(r.Dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		r.T.Fatal(err)
	}
}

// Commit commits all files.
func (r repository) Commit(message string) {
	r.T.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", message)
}

// Unchanged calls do and reports an error if it changes a file of the repository, or leaves a temporary folder of
// checkalloc.
func (r repository) Unchanged(do func()) {
	r.T.Helper()
	before := r.files()
	do()
	if after := r.files(); !maps.Equal(before, after) {
		for name, is := range after {
			if before[name] != is {
				r.T.Errorf("%s: %s, was %s", name, is, before[name])
			}
		}
		r.T.Errorf("the repository changed: %d files, were %d", len(after), len(before))
	}
	noneLeft(r.T)
}

// noneLeft reports an error if a temporary folder of checkalloc is left.
func noneLeft(t *testing.T) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "checkalloc-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// files describes everything in the folder, by path.
func (r repository) files() map[string]string {
	r.T.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(r.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all[name] = fs.FormatFileInfo(info) + info.ModTime().Format(time.RFC3339Nano)
		}
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return all
}
