package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/verdict"
)

// A repository is a git repository in the making: page/page.go is a package in it.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not on PATH")
		}
		t.Skip("NOT TESTED: git is not on PATH")
	}
	// Neither the user's configuration nor a repository around this one takes part.
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	t.Setenv("GIT_CEILING_DIRECTORIES", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	r := repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
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

func (r repository) commit(message string) {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", message)
}

// counted stands in for the engine that measures: a line that calls make allocates once.
func counted(_ context.Context, dir string) (*verdict.Verdict, func(string) []byte, error) {
	source := func(file string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil
		}
		return text
	}
	v := &verdict.Verdict{Schema: verdict.Schema, Package: "example.com/page"}
	b := verdict.Benchmark{Name: "BenchmarkPage", N: 100, NsPerOp: 1}
	for i, line := range strings.Split(string(source("page.go")), "\n") {
		if strings.Contains(line, "make(") {
			b.AllocsPerOp++
			v.Allocations = append(v.Allocations, verdict.Allocation{Benchmark: b.Name, File: "page.go", Line: i + 1, Func: "Page", Code: strings.TrimSpace(line), AllocsPerOp: 1, Why: "it escapes"})
		}
		if strings.Contains(line, "broken") {
			return nil, nil, fmt.Errorf("%s:%d: it is broken", filepath.Join(dir, "page.go"), i+1)
		}
	}
	v.Benchmarks = []verdict.Benchmark{b}
	return v, source, nil
}

// page is a package's text with some lines that allocate.
func page(lines ...string) string {
	return "package page\n\nfunc Page(n int) {\n\t" + strings.Join(lines, "\n\t") + "\n}\n"
}

// base runs compare --base, and proves that the repository is as before and that no copy of it is left.
func (r repository) base(ctx context.Context, rev, pkg string, measure func(context.Context, string) (*verdict.Verdict, func(string) []byte, error)) (code int, out string, err error) {
	r.t.Helper()
	before := snapshot(r.t, r.dir)
	var text bytes.Buffer
	c := &command{streams: streams{out: &text, err: &text}, plain: &text, width: 80, self: "checkalloc"}
	c.terminal()
	code, err = c.compare(ctx, []string{pkg}, comparing{base: rev, measure: measure})
	if after := snapshot(r.t, r.dir); !maps.Equal(before, after) {
		for name, was := range after {
			if before[name] != was {
				r.t.Errorf("%s: %s, was %s", name, was, before[name])
			}
		}
		r.t.Errorf("the repository changed: %d files, were %d", len(after), len(before))
	}
	noneLeft(r.t)
	told := text.String()
	if err != nil {
		told += err.Error()
	}
	if strings.Contains(told, os.Getenv("TMPDIR")) || strings.Contains(told, "checkalloc-base") {
		r.t.Errorf("a temporary folder is shown: %s", told)
	}
	return code, text.String(), err
}

// noneLeft proves that no copy of a revision is left. Tests keep other folders beside them.
func noneLeft(t *testing.T) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "checkalloc-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestCompareBase(t *testing.T) {
	r := newRepository(t)
	r.write("go.mod", "module example.com\n")
	r.commit("begin")
	r.write("page/page.go", page("a := make([]int, n)", "use(a)"))
	r.write(".gitattributes", "page/*.go export-ignore\nident.txt ident\n") // an archive would lack them
	r.commit("one")
	r.git("tag", "one")
	r.write("page/page.go", page("a := make([]int, n)", "use(a)", "b := make([]int, n)", "use(b)"))
	r.commit("two")
	// What git would write when it reads an index, and run.
	r.git("config", "core.splitIndex", "true")
	r.git("config", "core.sparseCheckout", "true")
	r.write(".git/info/sparse-checkout", "/nothing\n")
	r.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch hooked\n")
	if err := os.Chmod(filepath.Join(r.dir, ".git/hooks/post-index-change"), 0o777); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(r.dir, "page")

	for _, test := range []struct {
		name, rev string
		change    func()
		code      int
		want      []string
	}{
		{"a line more", "HEAD~1", func() {}, exitNotYet, []string{"HEAD~1 (", ") → working tree", "started allocating", "+    6 │ b := make([]int, n)", "+100.00%"}},
		{"by its tag", "one", func() {}, exitNotYet, []string{"one ("}},
		{"by its hash", r.git("rev-parse", "one"), func() {}, exitNotYet, []string{r.git("rev-parse", "one") + " → working tree"}},
		{"same", "HEAD", func() {}, exitPassed, []string{"Every line allocates as before."}},
		{"the package is new", "HEAD~2", func() {}, exitPassed, []string{"The package does not exist at HEAD~2 ("}},
		{"changes that are not committed count", "HEAD", func() {
			r.write("page/page.go", page("a := make([]int, n)", "use(a)"))
			r.write("page/untracked.go", "package page\n")
		}, exitPassed, []string{"stopped allocating", "-    6 │ b := make([]int, n)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := repository{t, r.dir}
			test.change()
			code, out, err := r.base(t.Context(), test.rev, dir, counted)
			if err != nil || code != test.code {
				t.Errorf("exit code %d, %v, want %d", code, err, test.code)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("lacks %q:\n%s", want, out)
				}
			}
		})
	}

	t.Run("in a hook", func(t *testing.T) {
		// git commit runs its hooks so.
		t.Setenv("GIT_DIR", ".git")
		t.Setenv("GIT_INDEX_FILE", ".git/index")
		t.Setenv("GIT_PREFIX", "")
		t.Chdir(r.dir)
		r := repository{t, r.dir}
		if code, out, err := r.base(t.Context(), "one", "./page", counted); err != nil || code != exitPassed {
			t.Errorf("exit code %d, %v\n%s", code, err, out)
		}
	})
	t.Run("by a link", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Skip("NOT TESTED: ", err)
		}
		r := repository{t, r.dir}
		if code, out, err := r.base(t.Context(), "one", link, counted); err != nil || code != exitPassed || strings.Contains(out, "does not exist") {
			t.Errorf("exit code %d, %v\n%s", code, err, out)
		}
	})
}

func TestCompareBaseErrors(t *testing.T) {
	r := newRepository(t)
	r.write("page/page.go", page("broken"))
	r.commit("broken")
	r.write("page/page.go", page("a := make([]int, n)"))
	r.write("text/a.txt", "no Go\n")
	dir := filepath.Join(r.dir, "page")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.go"), []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, rev, pkg, want string }{
		{"no such revision", "nowhere", dir, "--base nowhere: the repository has no such revision"},
		{"an option", "--help", dir, "--base --help: the repository has no such revision"},
		{"a folder of a revision", "HEAD:page", dir, "--base HEAD:page: the repository has no such revision"},
		{"no repository", "HEAD", outside, "--base HEAD: not a git repository (or any of the parent directories): .git"},
		{"no Go", "HEAD", filepath.Join(r.dir, "text"), filepath.Join(r.dir, "text") + ": no Go package in this folder"},
		{"no folder", "HEAD", filepath.Join(r.dir, "gone"), filepath.Join(r.dir, "gone") + ": no Go package in this folder"},
		{"several", "HEAD", "./...", "compare --base takes one package, not ./..."},
		{"broken at the base", "HEAD", dir, "HEAD:page/page.go:4: it is broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := repository{t, r.dir}
			_, out, err := r.base(t.Context(), test.rev, test.pkg, counted)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s\n%s", err, test.want, out)
			}
			var u errUsage
			if errors.As(err, &u) != slices.Contains([]string{"several", "no Go", "no folder"}, test.name) {
				t.Errorf("usage error: %v", err)
			}
		})
	}
	t.Run("shallow", func(t *testing.T) {
		clone := repository{t, t.TempDir()}
		clone.git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(r.dir), ".")
		_, _, err := clone.base(t.Context(), "HEAD~1", filepath.Join(clone.dir, "page"), counted)
		if err == nil || !strings.Contains(err.Error(), "the clone is shallow") {
			t.Error(err)
		}
	})
	t.Run("no git", func(t *testing.T) {
		r := repository{t, r.dir}
		t.Setenv("PATH", t.TempDir())
		if _, _, err := r.base(t.Context(), "HEAD", dir, counted); err == nil || err.Error() != "--base needs git, which is not on PATH" {
			t.Error(err)
		}
	})
}

// TestCompareBaseInterrupted: a Ctrl-C at any time, and a measure that panics, leave nothing behind.
func TestCompareBaseInterrupted(t *testing.T) {
	r := newRepository(t)
	r.write("page/page.go", page("a := make([]int, n)"))
	r.commit("one")
	dir := filepath.Join(r.dir, "page")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.base(ctx, "HEAD", dir, counted); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, after := range []int{1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, _, err := r.base(ctx, "HEAD", dir, func(ctx context.Context, dir string) (*verdict.Verdict, func(string) []byte, error) {
			if calls++; calls == after {
				cancel()
				return nil, nil, ctx.Err()
			}
			return counted(ctx, dir)
		})
		cancel()
		if !errors.Is(err, context.Canceled) || calls != after {
			t.Errorf("%v after %d calls", err, calls)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
			noneLeft(t)
		}()
		r.base(t.Context(), "HEAD", dir, func(context.Context, string) (*verdict.Verdict, func(string) []byte, error) { panic("bad") })
	}()
}

// TestPackageFolder: by its import path, a package is looked for with the go command.
func TestPackageFolder(t *testing.T) {
	dir, err := packageFolder(t.Context(), "onthestack/internal/compare")
	if err != nil || filepath.Base(dir) != "compare" {
		t.Errorf("%s, %v", dir, err)
	}
	if _, err := packageFolder(t.Context(), "onthestack/internal/nowhere"); err == nil || !strings.Contains(err.Error(), "a folder is named with a dot: ./onthestack/internal/nowhere") {
		t.Error(err)
	}
}
