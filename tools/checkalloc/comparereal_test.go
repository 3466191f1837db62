package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The files of a module in a subfolder: generic code, and tests beside it and outside.
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

// TestProofCompareRevisions compares packages of real repositories with the engine that measures.
func TestProofCompareRevisions(t *testing.T) {
	r := newRepository(t)
	t.Setenv("GOWORK", "off")
	r.write("readme.txt", "The module is in a subfolder.\n")
	r.write("sub/go.mod", "module example.com/sub\n\ngo 1.21\n")
	r.write("sub/p/map.go", genericFile)
	r.write("sub/p/p_test.go", genericBench)
	r.commit("one")
	r.git("tag", "one")
	r.git("mv", "sub/p/map.go", "sub/p/generic.go")
	r.write("sub/q/q.go", "package q\n\nfunc New() *int { return new(int) }\n")
	r.write("sub/q/q_test.go", "package q\n\nimport \"testing\"\n\nvar sink *int\n\nfunc BenchmarkNew(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink = New()\n\t}\n}\n")
	r.write("sub/broken/broken.go", "package broken\n\nfunc F() int { return \"\" }\n")
	r.commit("two")
	r.write("sub/broken/broken.go", "package broken\n\nfunc F() int { return 0 }\n")

	for _, test := range []struct {
		name, rev, pkg string
		change         func(repository)
		code           int
		want           []string
	}{
		{"same", "HEAD", "sub/p", nil, exitPassed, []string{"example.com/sub/p", "BenchmarkMap", "~ (p=", "n=1)", "Every line allocates as before."}},
		{"renamed file", "one", "sub/p", nil, exitPassed, []string{"Every line allocates as before."}},
		{"new package", "one", "sub/q", nil, exitPassed, []string{"The package does not exist at one ("}},
		{"dirty, generic", "one", "sub/p", func(r repository) {
			r.write("sub/p/generic.go", strings.Replace(genericFile, "make([]U, 0, len(in))", "[]U(nil)", 1))
		}, exitNotYet, []string{"started allocating", "out = append(out, f(v))", "stopped allocating", "out := make([]U, 0, len(in))", "+200.00%"}},
		{"does not build at the base", "HEAD", "sub/broken", nil, exitFailed, []string{"HEAD (", "was not measured: its build stage failed", "broken.go:3: cannot use"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := repository{t, r.dir}
			if test.change != nil {
				test.change(r)
			}
			r.compare(test.code, test.rev, test.pkg, test.want...)
		})
	}
}

// TestProofCompareSubmodule: a package of a submodule is compared at the submodule's own revisions.
func TestProofCompareSubmodule(t *testing.T) {
	inner := newRepository(t)
	t.Setenv("GOWORK", "off")
	inner.write("go.mod", "module example.com/inner\n\ngo 1.21\n")
	inner.write("p/map.go", genericFile)
	inner.write("p/p_test.go", strings.Replace(genericBench, "example.com/sub/p", "example.com/inner/p", 1))
	inner.commit("inner")
	outer := repository{t, t.TempDir()}
	outer.git("init", "-q", "-b", "main")
	outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.dir, "dep")
	outer.commit("outer")
	outer.write("dep/p/map.go", strings.Replace(genericFile, "make([]U, 0, len(in))", "[]U(nil)", 1))
	outer.compare(exitNotYet, "HEAD", "dep/p", "started allocating", "+200.00%")

	// What lies in a submodule is not in the repository around it.
	outer.write("go.mod", "module example.com/outer\n\ngo 1.21\n\nrequire example.com/inner v0.0.0\n\nreplace example.com/inner => ./dep\n")
	outer.write("o_test.go", "package outer\n\nimport (\n\t\"testing\"\n\n\t\"example.com/inner/p\"\n)\n\nfunc BenchmarkO(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tp.Map([]int{1}, func(v int) int { return v })\n\t}\n}\n")
	outer.write("o.go", "package outer\n")
	outer.commit("with a package")
	outer.compare(exitFailed, "HEAD", ".", "HEAD (", "was not measured", "HEAD:dep/go.mod: no such file", "HEAD has submodules, whose files are no part of it: dep")
}

// compare runs the command on a package of the repository, with one sample of the time, and holds what it prints. The repository
// is as before, no copy is left, and none is named.
func (r repository) compare(code int, rev, pkg string, want ...string) {
	r.t.Helper()
	before := snapshot(r.t, r.dir)
	cmd := exec.CommandContext(r.t.Context(), "checkalloc", "compare", "--base", rev, "--count", "1", "."+string(filepath.Separator)+filepath.FromSlash(pkg))
	cmd.Dir = r.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d:\n%s", got, code, out.String())
	}
	for _, w := range want {
		if !strings.Contains(out.String(), w) {
			r.t.Errorf("lacks %q:\n%s", w, out.String())
		}
	}
	if !maps.Equal(before, snapshot(r.t, r.dir)) {
		r.t.Error("the repository changed")
	}
	noneLeft(r.t)
	if strings.Contains(out.String(), os.Getenv("TMPDIR")+string(filepath.Separator)+"checkalloc") {
		r.t.Errorf("a temporary folder is shown:\n%s", out.String())
	}
}
