package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// counted replaces the measurement: each line that calls make allocates once.
func counted(_ context.Context, dir string) (*measuredSide, error) {
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
			v.Allocations = append(
				v.Allocations,
				verdict.Allocation{
					Benchmark:   b.Name,
					File:        "page.go",
					Line:        i + 1,
					Func:        "Page",
					Code:        strings.TrimSpace(line),
					AllocsPerOp: 1,
					Why:         "it escapes",
				},
			)
		}
		if strings.Contains(line, "broken") {
			return nil, fmt.Errorf("%s:%d: it is broken", filepath.Join(dir, "page.go"), i+1)
		}
	}
	v.Benchmarks = []verdict.Benchmark{b}
	return &measuredSide{Side: compare.Side{Verdict: v, Source: source}, close: func() error { return nil }}, nil
}

// page returns the source of a package with these lines.
func page(lines ...string) string {
	return "package page\n\nfunc Page(n int) {\n\t" + strings.Join(lines, "\n\t") + "\n}\n"
}

type measureFunc = func(context.Context, string) (*measuredSide, error)

// compareBase runs compare --base. The repository does not change, and no copy of it is left or named.
func compareBase(
	ctx context.Context,
	r repository,
	rev, pkg string,
	measure measureFunc,
) (code int, out string, err error) {
	r.T.Helper()
	var text bytes.Buffer
	r.Unchanged(func() {
		a := app.New(nil, sandbox.Limits{}, "checkalloc", nil, &text, &text)
		a.Start(func(error) {})
		code, err = (&compareCall{App: a, base: rev, measure: measure}).run(ctx, []string{pkg})
	})
	shown := text.String()
	if err != nil {
		shown += err.Error()
	}
	if strings.Contains(shown, os.Getenv("TMPDIR")) || strings.Contains(shown, "checkalloc-base") {
		r.T.Errorf("a temporary folder is shown: %s", shown)
	}
	return code, text.String(), err
}

func TestCompareBase(t *testing.T) {
	r := newRepository(t)
	r.Write("go.mod", "module example.com\n")
	r.Commit("begin")
	r.Write("page/page.go", page("a := make([]int, n)", "use(a)"))
	r.Write(".gitattributes", "page/*.go export-ignore\nident.txt ident\n") // "git archive" would leave them out
	r.Commit("one")
	r.Git("tag", "one")
	r.Write("page/page.go", page("a := make([]int, n)", "use(a)", "b := make([]int, n)", "use(b)"))
	r.Commit("two")
	// Settings that make git write files when it reads an index, and a hook.
	r.Git("config", "core.splitIndex", "true")
	r.Git("config", "core.sparseCheckout", "true")
	r.Write(".git/info/sparse-checkout", "/nothing\n")
	r.Write(".git/hooks/post-index-change", "#!/bin/sh\ntouch hooked\n")
	if err := os.Chmod(filepath.Join(r.Dir, ".git/hooks/post-index-change"), 0o777); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(r.Dir, "page")

	for _, test := range []struct {
		name, rev string
		change    func()
		code      int
		want      []string
	}{
		{"a line more", "HEAD~1", func() {}, app.ExitNotYet, []string{"HEAD~1 (", ") → working tree",
			"started allocating",
			"+    6 │ b := make([]int, n)", "+100.00%"}},
		{"by its tag", "one", func() {}, app.ExitNotYet, []string{"one ("}},
		{"by its hash", r.Git("rev-parse", "one"), func() {}, app.ExitNotYet, []string{r.Git("rev-parse", "one") +
			" → working tree"}},
		{"same", "HEAD", func() {}, app.ExitPassed, []string{"Every line allocates as before."}},
		{"the package is new", "HEAD~2", func() {}, app.ExitPassed, []string{"The package does not exist at HEAD~2 ("}},
		{"changes that are not committed count", "HEAD", func() {
			r.Write("page/page.go", page("a := make([]int, n)", "use(a)"))
			r.Write("page/untracked.go", "package page\n")
		}, app.ExitPassed, []string{"stopped allocating", "-    6 │ b := make([]int, n)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := repository{T: t, Dir: r.Dir}
			test.change()
			code, out, err := compareBase(t.Context(), r, test.rev, dir, counted)
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
		// git commit sets these for its hooks.
		t.Setenv("GIT_DIR", ".git")
		t.Setenv("GIT_INDEX_FILE", ".git/index")
		t.Setenv("GIT_PREFIX", "")
		t.Chdir(r.Dir)
		r := repository{T: t, Dir: r.Dir}
		if code, out, err := compareBase(t.Context(), r, "one", "./page", counted); err != nil ||
			code != app.ExitPassed {
			t.Errorf("exit code %d, %v\n%s", code, err, out)
		}
	})
	t.Run("by a link", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Skipf("NOT TESTED: a repository behind a symbolic link. This user may not make one: %v", err)
		}
		r := repository{T: t, Dir: r.Dir}
		if code, out, err := compareBase(t.Context(), r, "one", link, counted); err != nil || code != app.ExitPassed ||
			strings.Contains(out, "does not exist") {
			t.Errorf("exit code %d, %v\n%s", code, err, out)
		}
	})
}

func TestCompareBaseErrors(t *testing.T) {
	r := newRepository(t)
	r.Write("page/page.go", page("broken"))
	r.Commit("broken")
	r.Write("page/page.go", page("a := make([]int, n)"))
	r.Write("text/a.txt", "no Go\n")
	dir := filepath.Join(r.Dir, "page")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.go"), []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, rev, pkg, want string }{
		{"no such revision", "nowhere", dir, "--base nowhere: the repository has no such revision"},
		{"an option", "--help", dir, "--base --help: the repository has no such revision"},
		{"a folder of a revision", "HEAD:page", dir, "--base HEAD:page: the repository has no such revision"},
		{"no repository", "HEAD", outside, "--base HEAD: not a git repository (or any of the parent directories): " +
			".git"},
		{"no Go", "HEAD", filepath.Join(r.Dir, "text"), filepath.Join(r.Dir, "text") +
			": no Go package in this folder"},
		{"no folder", "HEAD", filepath.Join(r.Dir, "gone"), filepath.Join(r.Dir, "gone") +
			": no Go package in this folder"},
		{"several", "HEAD", "./...", "compare --base takes one package, not ./..."},
		{"broken at the base", "HEAD", dir, "HEAD:page/page.go:4: it is broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := repository{T: t, Dir: r.Dir}
			_, out, err := compareBase(t.Context(), r, test.rev, test.pkg, counted)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s\n%s", err, test.want, out)
			}
			var u app.UsageError
			if errors.As(err, &u) != slices.Contains([]string{"several", "no Go", "no folder"}, test.name) {
				t.Errorf("usage error: %v", err)
			}
		})
	}
	t.Run("shallow", func(t *testing.T) {
		clone := repository{T: t, Dir: t.TempDir()}
		clone.Git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(r.Dir), ".")
		_, _, err := compareBase(t.Context(), clone, "HEAD~1", filepath.Join(clone.Dir, "page"), counted)
		if err == nil || !strings.Contains(err.Error(), "the clone is shallow") {
			t.Error(err)
		}
	})
	t.Run("no git", func(t *testing.T) {
		r := repository{T: t, Dir: r.Dir}
		t.Setenv("PATH", t.TempDir())
		if _, _, err := compareBase(t.Context(), r, "HEAD", dir, counted); err == nil ||
			err.Error() != "--base HEAD: git is not on PATH" {
			t.Error(err)
		}
	})
}

// TestCompareBaseInterrupted proves that an interruption at any time, and a panic, leave nothing behind.
func TestCompareBaseInterrupted(t *testing.T) {
	r := newRepository(t)
	r.Write("page/page.go", page("a := make([]int, n)"))
	r.Commit("one")
	dir := filepath.Join(r.Dir, "page")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := compareBase(ctx, r, "HEAD", dir, counted); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, after := range []int{1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, _, err := compareBase(
			ctx,
			r,
			"HEAD",
			dir,
			func(ctx context.Context, dir string) (*measuredSide, error) {
				if calls++; calls == after {
					cancel()
					return nil, ctx.Err()
				}
				return counted(ctx, dir)
			},
		)
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
		compareBase(
			t.Context(),
			r,
			"HEAD",
			dir,
			func(context.Context, string) (*measuredSide, error) { panic("bad") },
		)
	}()
}

// TestPackageFolder finds a package by its import path.
func TestPackageFolder(t *testing.T) {
	dir, err := packageFolder(t.Context(), "onthestack/internal/owncode/compare")
	if err != nil || filepath.Base(dir) != "compare" {
		t.Errorf("%s, %v", dir, err)
	}
	if _, err := packageFolder(t.Context(), "onthestack/internal/nowhere"); err == nil ||
		!strings.Contains(err.Error(), "to name a folder, begin with a dot: ./onthestack/internal/nowhere") {
		t.Error(err)
	}
}
