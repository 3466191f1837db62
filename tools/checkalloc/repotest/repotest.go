// Package repotest makes git repositories for tests, and checks that a command leaves a folder unchanged.
package repotest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Repository is a git repository in a folder.
type Repository struct {
	T   *testing.T
	Dir string
}

// New makes an empty repository in a new folder for temporary files. Neither the user's configuration of git nor a
// repository around the folder has an effect. If git is not installed, the test is skipped; in continuous integration
// it fails.
func New(t *testing.T) Repository {
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
	r := Repository{t, t.TempDir()}
	r.Git("init", "-q", "-b", "main")
	return r
}

// Git runs git in the repository and returns what it prints.
func (r Repository) Git(args ...string) string {
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
func (r Repository) Write(name, text string) {
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
func (r Repository) Commit(message string) {
	r.T.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", message)
}

// Unchanged calls do and reports an error if it changes a file of the repository, or leaves a temporary folder of
// checkalloc.
func (r Repository) Unchanged(do func()) {
	r.T.Helper()
	before := Snapshot(r.T, r.Dir)
	do()
	if after := Snapshot(r.T, r.Dir); !maps.Equal(before, after) {
		for name, is := range after {
			if before[name] != is {
				r.T.Errorf("%s: %s, was %s", name, is, before[name])
			}
		}
		r.T.Errorf("the repository changed: %d files, were %d", len(after), len(before))
	}
	NoneLeft(r.T)
}

// NoneLeft reports an error if a temporary folder of checkalloc is left.
func NoneLeft(t *testing.T) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "checkalloc-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Snapshot returns the mode, time and checksum of everything in a folder, by path. The folder with the progress in
// exercises is left out.
func Snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.Name() == ".checkalloc":
			return fs.SkipDir
		case name == dir && filepath.Base(dir) == "ws": // its time changes when .checkalloc is made
			return nil
		case entry.Type().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			all[name] = fmt.Sprintf("%v %x %v", info.Mode(), sha256.Sum256(text), info.ModTime())
		default:
			all[name] = fmt.Sprintf("%v %v", info.Mode(), info.ModTime())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
