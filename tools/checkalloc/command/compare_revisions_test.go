package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// The files of a module in a subfolder: generic code and a benchmark in an external test package.
const (
	genericFile = `package p

func Map[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}
`
	genericBench = `package p_test

import (
	"testing"

	"example.com/sub/p"
)

var sink []int64

func BenchmarkMap(b *testing.B) {
	in := []int32{1, 2, 3, 4}
	for i := 0; i < b.N; i++ {
		sink = p.Map(in, func(v int32) int64 { return int64(v) })
	}
}
`
)

// TestProofCompareRevisions compares packages of real repositories by measuring them.
func TestProofCompareRevisions(t *testing.T) {
	r := newRepository(t)
	t.Setenv("GOWORK", "off")
	r.Write("readme.txt", "The module is in a subfolder.\n")
	r.Write("sub/go.mod", "module example.com/sub\n\ngo 1.21\n")
	r.Write("sub/p/map.go", genericFile)
	r.Write("sub/p/p_test.go", genericBench)
	r.Commit("one")
	r.Git("tag", "one")
	r.Git("mv", "sub/p/map.go", "sub/p/generic.go")
	r.Write("sub/q/q.go", "package q\n\nfunc New() *int { return new(int) }\n")
	r.Write("sub/q/q_test.go", "package q\n\nimport \"testing\"\n\nvar sink *int\n\nfunc BenchmarkNew(b *testing.B) "+
		"{\n\tfor i := 0; i < b.N; i++ {\n\t\tsink = New()\n\t}\n}\n")
	r.Write("sub/broken/broken.go", "package broken\n\nfunc F() int { return \"\" }\n")
	r.Commit("two")
	r.Write("sub/broken/broken.go", "package broken\n\nfunc F() int { return 0 }\n")

	for _, test := range []struct {
		name, rev, pkg string
		change         func(repository)
		code           int
		want           []string
	}{
		{"same", "HEAD", "sub/p", nil, app.ExitPassed, []string{"example.com/sub/p", "BenchmarkMap", "~ (p=", "n=1)",
			"Every line allocates as before."}},
		{"renamed file", "one", "sub/p", nil, app.ExitPassed, []string{"Every line allocates as before."}},
		{"new package", "one", "sub/q", nil, app.ExitPassed, []string{"The package does not exist at one ("}},
		{"dirty, generic", "one", "sub/p", func(r repository) {
			r.Write("sub/p/generic.go", strings.Replace(genericFile, "make([]U, 0, len(in))", "[]U(nil)", 1))
		}, app.ExitNotYet, []string{"started allocating", "out = append(out, f(v))", "stopped allocating",
			"out := make([]U, 0, len(in))", "+200.00%"}},
		{"does not build at the base", "HEAD", "sub/broken", nil, app.ExitFailed,
			[]string{"HEAD (", "was not measured: its build stage failed", "broken.go:3: cannot use"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := repository{T: t, Dir: r.Dir}
			if test.change != nil {
				test.change(r)
			}
			compareRevision(r, test.code, test.rev, test.pkg, test.want...)
		})
	}
}

// TestProofCompareSubmodule tests that a package of a submodule is compared at the submodule's own revisions.
func TestProofCompareSubmodule(t *testing.T) {
	inner := newRepository(t)
	t.Setenv("GOWORK", "off")
	inner.Write("go.mod", "module example.com/inner\n\ngo 1.21\n")
	inner.Write("p/map.go", genericFile)
	inner.Write("p/p_test.go", strings.Replace(genericBench, "example.com/sub/p", "example.com/inner/p", 1))
	inner.Commit("inner")
	outer := repository{T: t, Dir: t.TempDir()}
	outer.Git("init", "-q", "-b", "main")
	outer.Git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.Dir, "dep")
	outer.Commit("outer")
	outer.Write("dep/p/map.go", strings.Replace(genericFile, "make([]U, 0, len(in))", "[]U(nil)", 1))
	compareRevision(outer, app.ExitNotYet, "HEAD", "dep/p", "started allocating", "+200.00%")

	// The files of a submodule are not in the repository around it.
	outer.Write("go.mod", "module example.com/outer\n\ngo 1.21\n\nrequire example.com/inner v0.0.0\n\n"+
		"replace example.com/inner => ./dep\n")
	outer.Write("o_test.go", "package outer\n\nimport (\n\t\"testing\"\n\n\t\"example.com/inner/p\"\n)\n\n"+
		"func BenchmarkO(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tp.Map([]int{1}, func(v int) int { "+
		"return v })\n\t}\n}\n")
	outer.Write("o.go", "package outer\n")
	outer.Commit("with a package")
	compareRevision(outer, app.ExitFailed, "HEAD", ".", "HEAD (", "was not measured", "HEAD:dep/go.mod: no such file",
		"HEAD has submodules, whose files are not part of it: dep")
}

// compareRevision runs the command on a package of the repository, with one sample of the time, and checks its exit
// code and output. The repository does not change, and no copy of it is left or named.
func compareRevision(r repository, code int, rev, pkg string, want ...string) {
	r.T.Helper()
	var out bytes.Buffer
	r.Unchanged(func() {
		folder := "." + string(filepath.Separator) + filepath.FromSlash(pkg)
		cmd := exec.CommandContext(r.T.Context(), "checkalloc", "compare", "--base", rev, "--count", "1", "--all", folder)
		cmd.Dir = r.Dir
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			r.T.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != code {
			r.T.Errorf("exit code %d, want %d:\n%s", got, code, out.String())
		}
	})
	for _, w := range want {
		if !strings.Contains(out.String(), w) {
			r.T.Errorf("lacks %q:\n%s", w, out.String())
		}
	}
	if strings.Contains(out.String(), os.Getenv("TMPDIR")+string(filepath.Separator)+"checkalloc") {
		r.T.Errorf("a temporary folder is shown:\n%s", out.String())
	}
}
