package build_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/sandbox"
)

// goDirect are the programs below that need no go command.
var goDirect = []string{
	"hello", "two files", "text beside", "a module", "a panic", "a panic in the library", "callers",
	"build information",
	"build information of a module", "generics and the language", "linkname", "an empty comment group",
	"types", "many mistakes", "a note",
	"syntax", "syntax in two files", "two mains", "no main", "an import not used", "a body that is elsewhere",
	"linkname to the runtime",
	"not UTF-8", "a byte order mark", "carriage returns", "a variable of 8 GiB", "a constant too large",
	"line directives",
	"a line directive that panics",
}

// TestProofSameness proves that a program is the same whether it was built with the go command or without: the
// messages, and the output when it runs.
func TestProofSameness(t *testing.T) {
	d, c := both(t)
	main := func(body string) string { return "package main\n\n" + body + "\n" }
	for _, p := range []struct {
		name  string
		files []string
		ok    bool
		want  string // in the messages, or in what the program prints
	}{
		{"hello", []string{"prog.go", hello}, true, "hi\n"},
		{"two files", []string{"b.go", main("import \"os\"\n\nvar b = a + len(os.Args)"), "a.go",
			main("var a = b0()\n\nfunc b0() int { return 4 }\n\nfunc main() { println(a, b) }")}, true, "4 5\n"},
		{"text beside", []string{"prog.go", hello, "data.txt", "x", "doc/readme.md", "x"}, true, "hi\n"},
		{"a module", []string{"prog.go", hello, "go.mod", "module example.com/hello\n"}, true, "hi\n"},
		{"a panic", []string{"prog.go", main("func main() { var m map[int]int; m[1]++ }")}, true, "\tplay/prog.go:3 "},
		{"a panic in the library", []string{"prog.go",
			main("import \"strings\"\n\nfunc main() { strings.Repeat(\"x\", -1) }")}, true, "\tstrings/strings.go:"},
		{"callers", []string{"prog.go", main("import \"runtime\"\n\nfunc main() {\n\tfor i := range 4 { " +
			"println(runtime.Caller(i)) }\n\tprintln(runtime.GOROOT(), runtime.Version())\n}")}, true,
			"/usr/local/go "},
		{"build information", []string{"prog.go", main("import (\"fmt\"; \"runtime/debug\")\n\nfunc main() { " +
			"fmt.Println(debug.ReadBuildInfo()) }")}, true, "(devel)"},
		{"build information of a module", []string{"go.mod", "module example.com/a/b\n\ngo 1.26\n", "prog.go",
			main("import (\"fmt\"; \"runtime/debug\")\n\nfunc main() { fmt.Println(debug.ReadBuildInfo()) }")},
			true, "example.com/a/b"},
		{"generics and the language", []string{"prog.go", main("import \"fmt\"\n\ntype set[T comparable] = " +
			"map[T]bool\n\nfunc main() { fmt.Println(set[int]{1: true}, min(1, 2)) }")}, true, "map[1:true]"},
		{"linkname", []string{"a.go", main("import _ \"unsafe\"\n\n//go:linkname x runtime/debug.setMaxStack\n" +
			"func x(int) int\n\nfunc init() { println(x(4 << 20)) }"), "prog.go",
			main("func main() { println(x(5)) }")}, true, "4194304\n"},
		{"an older language", []string{"go.mod", "module m\n\ngo 1.20\n", "prog.go",
			main("func main() { var f []func(); for i := 0; i < 2; i++ { f = append(f, func() { print(i) }) }; " +
				"for _, g := range f { g() } }")}, true, "22"},
		{"a debug setting", []string{"prog.go", "//go:debug panicnil=1\n" +
			main("func main() { defer func() { println(recover() == nil) }(); panic(nil) }")}, true, "true\n"},
		{"embedding", []string{"prog.go", main("import _ \"embed\"\n\n//go:embed data.txt\nvar s string\n\nfunc " +
			"main() { println(s) }"), "data.txt", "abc"}, true, "abc\n"},
		{"a constraint that holds", []string{"prog.go", "//go:build wasip1 && go1.20\n\n" + hello}, true, "hi\n"},
		{"a constraint that does not", []string{"prog.go", "//go:build linux\n\n" + hello}, false,
			"build constraints exclude all Go files"},
		{"an old constraint", []string{"prog.go", "// +build linux\n\n" + hello, "b.go", hello}, true, "hi\n"},
		{"a platform's file", []string{"prog.go", hello, "x_linux.go", "package main\n\nfunc main() {}\n",
			"y_amd64.go", "package other\n", "z_wasm.go", main("func init() { println(1) }")}, true, "1\n"},
		{"a file that is none", []string{"prog.go", hello, "_x.go", "x", ".y.go", "y"}, true, "hi\n"},
		{"a test file", []string{"prog.go", hello, "prog_test.go", "package main\n\nimport \"nowhere\"\n"},
			true, "hi\n"},
		{"an empty comment group", []string{"prog.go", "/* package */ // main\n" + hello}, true, "hi\n"},
		{"two spellings of a name", []string{"prog.go", hello, "Prog.go", main("")}, false,
			"case-insensitive file name collision"},
		{"a folder of the program", []string{"prog.go", main("import \"play/sub\"\n\nfunc main() { sub.F() }"),
			"sub/sub.go", "package sub\n\nfunc F() { println(7) }\n"}, true, "7\n"},
		{"a mistake in a folder", []string{"prog.go", main("import \"play/sub\"\n\nfunc main() { sub.F() }"),
			"sub/sub.go", "package sub\n\nfunc F() { x }\n"}, false, "sub/sub.go:3:12: undefined: x"},

		{"types", []string{"prog.go", main("func main() {\n\tx := 1\n\ty.z()\n}")}, false,
			"# play\n./prog.go:4:2: declared and not used: x\n./prog.go:5:2: undefined: y\n"},
		{"many mistakes", []string{"prog.go", main("func main() {\n" + strings.Repeat("x()\n", 30) + "}")},
			false, "too many errors"},
		{"a note", []string{"prog.go", main("type T struct{}\n\nfunc (T) m() {}\n\nfunc (T) m() {}\n\nfunc main() {}")},
			false, "method T.m already declared at ./prog.go:5:10"},
		{"syntax", []string{"prog.go", main("func main() {\n\t=1\n}")}, false,
			"./prog.go:4:2: syntax error: unexpected =, expected }\n"},
		{"syntax before the imports", []string{"prog.go", "package main\n\nimport fmt\n\nfunc main() {}\n"},
			false, "prog.go:3:11"},
		{"syntax in two files", []string{"a.go", main("func a( {"), "b.go", main("func b) {}\n\nfunc main() {}")},
			false, "b.go:3:7"},
		{"no package", []string{"prog.go", "func main() {}\n"}, false, "expected 'package'"},
		{"nothing", []string{"prog.go", ""}, false, "expected 'package'"},
		{"no files", nil, false, "no Go files"},
		{"another package", []string{"prog.go", "package other\n\nfunc main() {}\n"}, true, ""},
		{"two packages", []string{"a.go", hello, "b.go", "package b\n"}, false,
			"found packages main (a.go) and b (b.go)"},
		{"two mains", []string{"a.go", hello, "b.go", hello}, false, "main redeclared in this block"},
		{"no main", []string{"prog.go", "package main\n"}, false, "function main is undeclared in the main package"},
		{"an import not used", []string{"prog.go", main("import \"os\"\n\nfunc main() {}")}, false,
			"\"os\" imported and not used"},
		{"an import not there", []string{"prog.go", main("import _ \"nosuch/package\"\n\nfunc main() {}")},
			false, "package nosuch/package is not in std"},
		{"internal", []string{"prog.go", main("import _ \"internal/abi\"\n\nfunc main() {}")}, false,
			"use of internal package internal/abi not allowed"},
		{"vendored", []string{"prog.go", main("import _ \"vendor/golang.org/x/net/http/httpguts\"\n\nfunc main() {}")},
			false, "vendor"},
		{"itself", []string{"prog.go", main("import _ \"play\"\n\nfunc main() {}")}, false, "import"},
		{"relative", []string{"prog.go", main("import _ \"./x\"\n\nfunc main() {}")}, false, "prog.go:3:8"},
		{"this repository", []string{"prog.go", main("import _ \"onthestack/internal/verdict\"\n\nfunc main() {}")},
			false, "package onthestack/internal/verdict is not in std"},
		{"other module", []string{"prog.go", main("import _ \"example.com/a\"\n\nfunc main() {}")}, false,
			"module lookup disabled by GOPROXY=off"},
		{"cgo", []string{"prog.go", main("import \"C\"\n\nfunc main() {}")}, false,
			"build constraints exclude all Go files"},
		{"not of this platform", []string{"prog.go", main("import _ \"syscall/js\"\n\nfunc main() {}")},
			false, "build constraints exclude all Go files"},
		{"embedding without the import", []string{"prog.go",
			main("//go:embed data.txt\nvar s string\n\nfunc main() {}")}, false, "go:embed requires import \"embed\""},
		{"a body that is elsewhere", []string{"prog.go", main("func f()\n\nfunc main() { f() }")}, false,
			"missing function body"},
		{"linkname to the runtime", []string{"prog.go", main("import _ \"unsafe\"\n\n//go:linkname exit " +
			"runtime.exit\nfunc exit(int32)\n\nfunc main() { exit(0) }")}, false, "invalid reference to runtime.exit"},
		{"not UTF-8", []string{"prog.go", main("var s = \"\xff\"\n\nfunc main() {}")}, false,
			"./prog.go:3:10: invalid UTF-8 encoding\n"},
		{"NUL", []string{"prog.go", main("func main() {\x00}")}, false, "./prog.go:3:14: invalid NUL character\n"},
		{"a byte order mark", []string{"prog.go", "\ufeff" + hello}, true, "hi\n"},
		{"carriage returns", []string{"prog.go", strings.ReplaceAll(hello, "\n", "\r\n")}, true, "hi\n"},
		{"a variable of 8 GiB", []string{"prog.go",
			main("var x [8 << 30]byte\n\nfunc main() { x[len(x)-1] = 1; println(x[0]) }")}, false, "symbol too large"},
		{"a constant too large", []string{"prog.go", main("const x = 1 << 10000000\n\nfunc main() {}")},
			false, "invalid shift count"},
		{"line directives", []string{"prog.go", "//line /etc/passwd:1\n" + main("func main() { x }\n\n//line "+
			"y.go:7\nvar _ = y\n\n//line ../z.go:9:3\nvar _ = z\n\n/*line :4:5*/ var _ = w")}, false, "undefined: x"},
		{"a line directive that panics", []string{"prog.go", main("//line /etc/passwd:1\nfunc main() { panic(1) }")},
			true, "/etc/passwd:1"},
		{"a newer language", []string{"go.mod", "module m\n\ngo 1.99\n", "prog.go", hello}, false,
			"requires go >= 1.99"},
		{"a newer toolchain", []string{"go.mod", "module m\n\ngo 1.26\n\ntoolchain go1.99.0\n", "prog.go", hello},
			true, "hi\n"},
		{"a go.mod of nonsense", []string{"go.mod", "modul m\n", "prog.go", hello}, false,
			"go: errors parsing go.mod:\ngo.mod:1: unknown directive: modul\n"},
		{"a file with a space", []string{"a b.go", hello}, true, "hi\n"},
		{"a file with a dash", []string{"-x.go", hello}, false, "-x.go"},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if got := build.PlansProgram(d, program(p.files...)); got != slices.Contains(goDirect, p.name) {
				t.Errorf("directly: %v", got)
			}
			one, other := built(t)(d.Build(t.Context(), program(p.files...))),
				built(t)(c.Build(t.Context(), program(p.files...)))
			if one.OK != other.OK || string(one.Output) != string(other.Output) || one.Stop != other.Stop {
				t.Fatalf("directly %v, %q, %q\nby the go command %v, %q, %q", one.OK, one.Output, one.Stop,
					other.OK, other.Output, other.Stop)
			}
			said := string(one.Output)
			if one.OK && one.Binary != "" && p.want != "" {
				said = run(t, one.Binary)
				if other := run(t, other.Binary); said != other {
					t.Errorf("directly it prints\n%s\nby the go command\n%s", said, other)
				}
			}
			if one.OK != p.ok || !strings.Contains(said, p.want) {
				t.Errorf("%v, %q, want %v, %q", one.OK, said, p.ok, p.want)
			}
			for _, hidden := range hiddenPaths(t) {
				if strings.Contains(said, hidden) {
					t.Errorf("%s is in %q", hidden, said)
				}
			}
		})
	}
}

// run returns all that a program prints.
func run(t *testing.T, binary string, args ...string) string {
	t.Helper()
	r, err := sandbox.Wasm{Limits: sandbox.Limits{Time: time.Minute, Memory: 256 << 20,
		Output: 1 << 20, Ready: 10 * time.Minute}}.RunProgram(t.Context(), binary, args...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range r.Events {
		b.WriteString(e.Message)
	}
	fmt.Fprintf(&b, "exit %d", r.Exit)
	return b.String()
}

// hiddenPaths returns the folders of this machine that a reader must not see.
func hiddenPaths(t *testing.T) []string {
	t.Helper()
	dir, err := build.SharedFolder()
	if err != nil {
		t.Fatal(err)
	}
	return []string{dir, "onthestack/toolchain-test"}
}
