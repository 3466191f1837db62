package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
)

// TestNightlyHostileSources builds programs that are hard on the compiler, or that try to read other files, under the
// limits for strangers. Each gets an answer that shows nothing of the machine.
func TestNightlyHostileSources(t *testing.T) {
	dir, err := build.SharedFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "file://"+t.TempDir()) // it has nothing
	open := func(limit time.Duration) *build.Isolated {
		limits := build.StrangerLimits()
		limits.Time = limit
		tools, err := build.OpenIsolated(dir, limits, build.IsolatedOptions{Modules: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tools.Close() })
		if err := tools.Prepare(t.Context(), "fmt", "embed"); err != nil {
			t.Fatal(err)
		}
		return tools
	}
	// A program whose answer is not a limit has any time, however busy the machine is.
	patient, hurried := open(time.Hour), open(3*time.Second)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("hidden treasure"), 0o600); err != nil {
		t.Fatal(err)
	}
	main := func(body string) string { return "package main\n\n" + body + "\n" }
	const module = "module m\n\ngo 1.26\n"
	for _, p := range []struct {
		name  string
		files []string
		// in the messages or in what stopped it; "" for a program that builds, "|" if it depends on the machine whether
		// it builds
		want string
	}{
		{"a local replacement", []string{"prog.go", main("import _ \"secret\"\n\nfunc main() {}"), "go.mod",
			module + "require secret v0.0.0\nreplace secret => " + filepath.Dir(secret) + "\n"},
			"go.mod:5: replacement " + filepath.Dir(secret) + " is not in the program\n"},
		{"a relative replacement", []string{"prog.go", hello, "go.mod", module + "replace (\n\ta.b/c => ../../..\n)\n"},
			"go.mod:5: replacement ../../.. is not in the program\n"},
		{"a replacement further down", []string{"prog.go", hello, "sub/go.mod", "module s\nreplace a.b/c => /\n"},
			"sub/go.mod:2: replacement / is not in the program"},
		{"the standard library's module", []string{"prog.go", hello, "go.mod", "module std\n"},
			"go.mod:1: a module may not be named std"},
		{"a go.mod that cannot be read", []string{"prog.go", hello, "go.mod", module + "\nfuture (\n"},
			"go: errors parsing go.mod"},
		{"a work file", []string{"prog.go", main("import _ \"secret\"\n\nfunc main() {}"), "go.work",
			"go 1.26\n\nuse " + filepath.Dir(secret) + "\n"}, "package secret is not in std"},
		{"a vendor folder", []string{"prog.go", main("import _ \"a.b/c\"\n\nfunc main() {}"), "go.mod",
			module + "require a.b/c v1.0.0\n", "vendor/modules.txt", "# a.b/c v1.0.0\n## explicit\na.b/c\n",
			"vendor/a.b/c/c.go", "package c\n"}, "a.b/c"},
		{"a module of a host's", []string{"prog.go", main("import _ \"127.0.0.1:9/x\"\n\nfunc main() {}")},
			"127.0.0.1:9/x"},
		{"a folder above", []string{"prog.go", main("import _ \"../x\"\n\nfunc main() {}")}, "prog.go:3:8"},
		{"an absolute import", []string{"prog.go", main("import _ \"/etc\"\n\nfunc main() {}")}, "prog.go:3:8"},
		{"this repository's module", []string{"prog.go", main("import _ \"onthestack/internal/verdict\"\n\nfunc " +
			"main() {}"), "go.mod", "module onthestack\n\ngo 1.26\n"},
			"package onthestack/internal/verdict is not in std"},

		{"embedding above", []string{"prog.go", main("import _ \"embed\"\n\n//go:embed ../*\nvar s string\n\nfunc " +
			"main() {}")}, "pattern ../*: invalid pattern syntax"},
		{"embedding a file of the machine's", []string{"prog.go", main("import _ \"embed\"\n\n//go:embed " +
			secret + "\nvar s string\n\nfunc main() {}")}, "invalid pattern syntax"},
		{"a line of another file", []string{"prog.go", "//line " + secret + ":1\n" + main("func main() { x }")},
			secret + ":3: undefined: x"},
		{"assembly", []string{"prog.go", hello, "x.s", "#include \"" + secret + "\"\n"},
			"x.s: a program here is made of Go files only"},
		{"assembly in a folder", []string{"prog.go", hello, "sub/x_wasm.S", "x"},
			"sub/x_wasm.S: a program here is made of Go files only"},
		{"C", []string{"prog.go", hello, "x.c", "#include \"" + secret + "\"\n"},
			"x.c: a program here is made of Go files only"},
		{"a header", []string{"prog.go", hello, "x.h", "x"}, "x.h: a program here is made of Go files only"},
		{"an object file", []string{"prog.go", hello, "x.syso", "x"},
			"x.syso: a program here is made of Go files only"},
		{"cgo directives", []string{"prog.go", main("//go:cgo_ldflag \"" + secret + "\"\n\nfunc main() {}")},
			"only allowed in cgo-generated code"},

		{"a name above", []string{"prog.go", hello, "../x.go", hello}, `file name "../x.go" is not allowed`},
		{"a name above, hidden", []string{"prog.go", hello, "a/../../x.go", hello}, "is not allowed"},
		{"an absolute name", []string{"prog.go", hello, "/tmp/x.go", hello}, "is not allowed"},
		{"an empty name", []string{"prog.go", hello, "", hello}, "is not allowed"},
		{"a name of dots", []string{"prog.go", hello, ".", hello}, "is not allowed"},
		{"a name with NUL", []string{"prog.go", hello, "x\x00.go", hello}, "is not allowed"},
		{"a name with a backslash", []string{"prog.go", hello, `..\x.go`, hello}, "is not allowed"},
		{"a long name", []string{"prog.go", hello, strings.Repeat("x", 300) + ".txt", "x"}, "is not allowed"},
		{"a deep name", []string{"prog.go", hello, strings.Repeat("x/", 300) + "y", "x"}, "is not allowed"},
		{"a file that is a folder", []string{"prog.go", hello, "a", "x", "a/b", "x"},
			"a is the name of a file and of a folder"},

		{"a huge constant", []string{"prog.go", main("const a = 1 << 511\n\nconst b = a * a * a * a * a * a * a * " +
			"a\n\nfunc main() { println(b) }")}, "constant multiplication overflow"},
		{"a long constant", []string{"prog.go", main("const a = 1e" + strings.Repeat("9", 100) + "\n\nfunc main() {}")},
			"malformed constant"},
		{"deep nesting", []string{"prog.go", main("var x = " + strings.Repeat("(", 100000) + "1" +
			strings.Repeat(")", 100000) + "\n\nfunc main() {}")}, "|"},
		{"a type of itself", []string{"prog.go", main("type T [2]T\n\nfunc main() {}")}, "invalid recursive type"},
		{"exploding types", []string{"prog.go",
			main(explodingTypes(40) + "\n\nfunc main() { var x T40; println(&x) }")}, "|"},
		{"exploding generics", []string{"prog.go", main(explodingGenerics(24) + "\n\nfunc main() { f0[int](); }")},
			"|"},
		{"generics without end", []string{"prog.go", main("type T[A any] struct{ x *A }\n\nfunc f[A any](n int) { " +
			"if n > 0 { f[T[A]](n - 1) } }\n\nfunc main() { f[int](3) }")}, "instantiation cycle"},
		{"a long line", []string{"prog.go", "package main; func main() {" + strings.Repeat("println();", 1<<20/10) +
			"}"}, "|"},
		{"many mistakes in long lines", []string{"prog.go",
			main("func main() {\n" + strings.Repeat(strings.Repeat("x", 100000)+"()\n", 10) + "}")}, "|"},
		{"a variable that takes 1.8 GB",
			[]string{"prog.go", main("var x = [1900000000]byte{1899999999: 1}\n\nfunc main() { println(x[0]) }")},
			"needed more than 2048 MiB of memory and was stopped"},
		{"a file of 400 MB", []string{"prog.go",
			main("var x = [400000000]byte{399999999: 1}\n\nfunc main() { println(x[0]) }")}, "|"},
		{"an experiment that is none", []string{"prog.go", hello, "GOEXPERIMENT", "fancy"},
			"unknown GOEXPERIMENT fancy"},
		{"an experiment with more in it", []string{"prog.go", hello, "GOEXPERIMENT",
			"x\x00GOFLAGS=-toolexec=/bin/false"}, "unknown GOEXPERIMENT"},
	} {
		t.Run(p.name, func(t *testing.T) {
			prog := program(p.files...)
			if x, ok := prog.Files["GOEXPERIMENT"]; ok {
				delete(prog.Files, "GOEXPERIMENT")
				prog.Experiments = []string{string(x)}
			}
			tools := patient
			if p.want == "|" {
				tools = hurried
			}
			b := built(t)(tools.Build(t.Context(), prog))
			said := string(b.Output) + "|" + b.Stop.String()
			t.Logf("OK %v, %.300q … %q", b.OK, b.Output, b.Stop)
			if b.OK != (p.want == "") && p.want != "|" || !strings.Contains(said, p.want) {
				t.Errorf("OK %v, %.1000q, want %q", b.OK, said, p.want)
			}
			for _, hidden := range append(hiddenPaths(t), "hidden treasure") {
				if strings.Contains(said, hidden) {
					t.Errorf("%s is in %.1000q", hidden, said)
				}
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if b := built(t)(patient.Build(t.Context(), program("prog.go", hello))); !b.OK {
		t.Errorf("afterwards hello world gives %q %q", b.Output, b.Stop)
	}
}

// explodingTypes returns n types, each of which contains the previous one twice.
func explodingTypes(n int) string {
	var b strings.Builder
	b.WriteString("type T0 struct{ a, b int }\n")
	for i := range n {
		fmt.Fprintf(&b, "type T%d struct{ a, b T%d }\n", i+1, i)
	}
	return b.String()
}

// explodingGenerics returns n functions, each of which needs two instances of the next.
func explodingGenerics(n int) string {
	var b strings.Builder
	b.WriteString("type L[A any] struct{ a A }\n\ntype R[A any] struct{ a A; b int }\n\n")
	for i := range n {
		fmt.Fprintf(&b, "func f%d[A any]() { f%d[L[A]](); f%d[R[A]]() }\n\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "func f%d[A any]() {}\n", n)
	return b.String()
}
