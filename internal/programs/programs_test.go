package programs

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/imports"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, body string
		files      []string // name, text, name, text, …
	}{
		{"nothing", "", nil},
		{"blank", "\n \n", nil},
		{"one file", "package main\n", []string{"prog.go", "package main\n"}},
		{"with a header", "-- prog.go --\npackage main\n", []string{"prog.go", "package main\n"}},
		{"two", "package main\n-- b/b.go --\npackage b\n", []string{"prog.go", "package main\n", "b/b.go",
			"package b\n"}},
		{"blank before a header", "\n\n-- a.go --\nx\n", []string{"a.go", "x\n"}},
		{"no newline at the end", "-- a.go --\nx", []string{"a.go", "x\n"}},
		{"dots in a name", "-- ..a/...go --\n", []string{"..a/...go", ""}},
		{"ten deep", "-- 1/2/3/4/5/6/7/8/9/a.go --\n", []string{"1/2/3/4/5/6/7/8/9/a.go", ""}},
	} {
		f, err := Split([]byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, name := range f.names {
			got = append(got, name, string(f.text[name]))
		}
		if !slices.Equal(got, c.files) {
			t.Errorf("%s: %q, want %q", c.name, got, c.files)
		}
	}
}

func TestSplitRefusesNames(t *testing.T) {
	many := func(n int) string { return strings.Repeat("-- a --\n", n) }
	for _, c := range []struct{ body, want string }{
		{"-- /etc/passwd --\n", `invalid file name "/etc/passwd"`},
		{"-- ../a.go --\n", `invalid file name "../a.go"`},
		{"-- a/../../b.go --\n", `invalid file name "a/../../b.go"`},
		{"-- a/../b.go --\n", `invalid file name "a/../b.go"`},
		{"-- .. --\n", `invalid file name ".."`},
		{"-- . --\n", `invalid file name "."`},
		{"-- ./a.go --\n", `invalid file name "./a.go"`},
		{"-- a//b.go --\n", `invalid file name "a//b.go"`},
		{"-- a/ --\n", `invalid file name "a/"`},
		{"-- a\\b.go --\n", `invalid file name "a\\b.go"`},
		{"-- a\x00.go --\n", `invalid file name "a\x00.go"`},
		{"-- a\tb.go --\n", `invalid file name "a\tb.go"`},
		{"-- a\xff.go --\n", `invalid file name "a\xff.go"`},
		{"-- " + strings.Repeat("a", 201) + " --\n", "file name too long"},
		{"-- 1/2/3/4/5/6/7/8/9/10/a.go --\n", `file name "1/2/3/4/5/6/7/8/9/10/a.go" too deep`},
		{"-- a.go --\n-- a.go --\n", `duplicate file name "a.go"`},
		{"package main\n-- prog.go --\n", `duplicate file name "prog.go"`},
		{"-- a/b.go --\n-- a --\n", `"a" is the name of a file and of a folder`},
		{"-- a --\n-- a/b.go --\n", `"a" is the name of a file and of a folder`},
		{many(21), "too many files in txtar archive (21 exceeds limit of 20)"},
		{"package main\n" + many(20), "too many files in txtar archive (21 exceeds limit of 20)"},
	} {
		if _, err := Split([]byte(c.body)); err == nil || err.Error() != c.want {
			t.Errorf("%.40q: %v, want %s", c.body, err, c.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "package main\n", "-- a.go --\nx\n-- b/c.go --\n", "x\r\n-- a --\r\n",
		"-- ../a --\n", "--  --\n", "-- a --"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		files, err := Split(slices.Clone(body))
		if err != nil {
			return
		}
		again, err := Split(files.Join())
		if err != nil {
			t.Fatalf("what Join returned: %v", err)
		}
		if !slices.Equal(again.names, files.names) || !maps.EqualFunc(again.text, files.text, slices.Equal) {
			t.Errorf("%q became %q", files.text, again.text)
		}
		files.Plan("wasip1", "1.26")
	})
}

func TestPlan(t *testing.T) {
	const (
		mod  = "module play\n\ngo 1.26\n"
		main = "package main\n\nfunc main() {}\n"
		test = "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"
	)
	for _, c := range []struct {
		name, body       string
		files            []string
		test, benchmarks bool
		experiments      []string
	}{
		{name: "one file", body: main, files: []string{"go.mod", "prog.go"}},
		{name: "own go.mod", body: main + "-- go.mod --\nmodule m\n", files: []string{"go.mod", "prog.go"}},
		{name: "test", body: test, files: []string{"go.mod", "prog_test.go"}, test: true},
		{name: "test and main", body: test + "func main() {}\n", files: []string{"go.mod", "prog.go"}},
		{name: "test and main in another file", body: test + "-- a.go --\n" + main, files: []string{"a.go", "go.mod",
			"prog_test.go"}, test: true},
		{name: "a method called main", body: test + "type T int\n\nfunc (T) main() {}\n", files: []string{"go.mod",
			"prog_test.go"}, test: true},
		{name: "test beside main in another file", body: main + "-- a_test.go --\n" + test, files: []string{"a_test.go",
			"go.mod", "prog.go"}},
		{name: "test in another file, no main", body: "package main\n\nvar x int\n-- a_test.go --\n" + test,
			files: []string{"a_test.go", "go.mod", "prog.go"}, test: true},
		{name: "test in another file only", body: "-- a_test.go --\n" + test, files: []string{"a_test.go", "go.mod"},
			test: true},
		{name: "test in prog_test.go only", body: "-- prog_test.go --\n" + test, files: []string{"go.mod",
			"prog_test.go"}, test: true},
		{name: "benchmark in another file", body: test + "-- b_test.go --\npackage main\n\nimport \"testing\"\n\n" +
			"func BenchmarkX(b *testing.B) {}\n", files: []string{"b_test.go", "go.mod", "prog_test.go"},
			test: true, benchmarks: true},
		{name: "main that constraints exclude", body: "-- a_test.go --\n" + test + "-- m_linux.go --\n" + main,
			files: []string{"a_test.go", "go.mod", "m_linux.go"}, test: true},
		{name: "test that constraints exclude", body: "package main\n-- a_linux_test.go --\n" + test,
			files: []string{"a_linux_test.go", "go.mod", "prog.go"}},
		{name: "benchmark", body: "package main\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n",
			files: []string{"go.mod", "prog_test.go"}, test: true, benchmarks: true},
		{name: "fuzz", body: "package main\n\nimport . \"testing\"\n\nfunc FuzzX(f *F) {}\n", files: []string{"go.mod",
			"prog_test.go"}, test: true},
		{name: "example", body: "package main\n\nfunc ExampleX() {}\n", files: []string{"go.mod",
			"prog_test.go"}, test: true},
		{name: "TestMain", body: "package main\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n",
			files: []string{"go.mod", "prog_test.go"}, test: true},
		{name: "no test", body: "package main\n\nimport \"testing\"\n\nfunc Testify(t *testing.T) {}\n\nfunc " +
			"TestX() {}\n\n" +
			"func TestY(t testing.T) {}\n\nfunc TestZ(t *testing.T) int { return 0 }\n",
			files: []string{"go.mod", "prog.go"}},
		{name: "does not parse", body: "package main\n\nfunc TestX(t *testing.T) {\n",
			files: []string{"go.mod", "prog.go"}},
		{name: "experiments", body: "\n//GOEXPERIMENT=a\n  //  GOEXPERIMENT = b \n// else\n" + main +
			"// GOEXPERIMENT=late\n-- x.txt --\n// GOEXPERIMENT=c\n-- y/y.go --\n// GOEXPERIMENT=d\npackage y\n",
			files: []string{"go.mod", "prog.go", "x.txt", "y/y.go"}, experiments: []string{"a", "b", "c"}},
		{name: "no experiment", body: "/* x */\n// GOEXPERIMENT=a\n" + main, files: []string{"go.mod", "prog.go"}},
		{name: "constraints", body: "//go:build linux\n\n" + main +
			"-- x.go --\n//go:build wasip1 && goexperiment.a\n" +
			"// GOEXPERIMENT=a\n" + main, files: []string{"go.mod", "prog.go", "x.go"}, experiments: []string{"a"}},
		{name: "package in a folder", body: main + "-- x/x.go --\npackage x\n", files: []string{"go.mod",
			"prog.go", "x/x.go"}},
		{name: "replaced by a folder of the program", body: main + "-- go.mod --\nmodule m\nreplace a.b/c => ./c\n" +
			"-- c/go.mod --\nmodule a.b/c\nreplace a.b/d => ../d\n", files: []string{"c/go.mod", "go.mod", "prog.go"}},
	} {
		f, err := Split([]byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p, problem := f.Plan("wasip1", "1.26")
		if problem != "" || !slices.Equal(slices.Sorted(maps.Keys(p.Files)), c.files) || p.Test != c.test ||
			p.Benchmarks != c.benchmarks || !slices.Equal(p.Experiments, c.experiments) {
			t.Errorf("%s: %+v %q", c.name, p, problem)
		}
		if !strings.Contains(c.body, "go.mod") && string(p.Files["go.mod"]) != mod {
			t.Errorf("%s: go.mod is %q", c.name, p.Files["go.mod"])
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	const main = "package main\n\nfunc main() {}\n"
	for _, c := range []struct{ name, body, want string }{
		{"empty", "", "there is no program: it is empty\n"},
		{"another package", "package x\n", "package name must be main"},
		{"another package beside main", main + "-- x.go --\npackage x\n", "package name must be main"},
		{"an external test package", main + "-- x_test.go --\npackage main_test\n", "package name must be main"},
		{"cgo", "package main\n\nimport \"C\"\n\nfunc main() {}\n",
			"./prog.go:3:8: import \"C\": there is no cgo here\n"},
		{"cgo in a folder", main + "-- x/x.go --\npackage x\n\nimport \"C\"\n",
			"./x/x.go:3:8: import \"C\": there is no cgo here\n"},
		{"constraints", "//go:build linux\n\n" + main + "-- x_linux.go --\npackage main\n",
			"build constraints exclude all Go files: this is wasip1/wasm\n"},
		{"an odd experiment", "// GOEXPERIMENT=a,GOFLAGS\n" + main, "prog.go: unknown GOEXPERIMENT \"a,GOFLAGS\"\n"},
		{"two files of tests", "package main\n\nfunc ExampleX() {}\n-- prog_test.go --\npackage main\n",
			"the tests in prog.go are run as prog_test.go: give that file another name\n"},
		{"tests in a folder only", "package main\n-- x/x_test.go --\npackage main\n\nimport \"testing\"\n\n" +
			"func TestX(t *testing.T) {}\n",
			"there is no main function, and the tests are in x/x_test.go: only tests in the root folder are run\n"},
	} {
		f, err := Split([]byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, goos := range []string{"wasip1", "js"} {
			want := strings.ReplaceAll(c.want, "wasip1", goos)
			if _, problem := f.Plan(goos, "1.26"); problem != want {
				t.Errorf("%s, %s: %q, want %q", c.name, goos, problem, want)
			}
		}
	}
}

// TestCompiled plans builds that run nothing, in which tests are compiled with the package.
func TestCompiled(t *testing.T) {
	const test = "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"
	for _, c := range []struct {
		body string
		want map[string]string // the files that are compiled, besides go.mod
	}{
		{test, map[string]string{"prog.go": test}},
		{"-- a_test.go --\n" + test, map[string]string{"zza.go": "//line play/a_test.go:1\n" + test}},
		{"-- prog_test.go --\n" + test, map[string]string{"zzprog.go": "//line play/prog_test.go:1\n" + test}},
		{test + "-- b_js_test.go --\n" + test + "-- zzb_js.go --\npackage main\n", map[string]string{"prog.go": test,
			"zzb_js.go": "package main\n", "zzzzb_js.go": "//line play/b_js_test.go:1\n" + test}},
	} {
		f, err := Split([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		p, _ := f.Plan("js", "1.26")
		got := map[string]string{}
		for name, text := range p.Compiled().Files {
			if name != "go.mod" && !isTest(name) {
				got[name] = string(text)
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestIgnored finds the calls that always fail here and whose errors a program ignores.
func TestIgnored(t *testing.T) {
	const imports = "package main\n\nimport (\n\t\"os\"\n\tx \"os/exec\"\n)\n\nfunc main() { "
	for _, c := range []struct{ statement, want string }{
		{"r, w, _ := os.Pipe(); _, _ = r, w", "os.Pipe"},
		{"var r, w, _ = os.Pipe(); _, _ = r, w", "os.Pipe"},
		{"os.Pipe()", "os.Pipe"},
		{"r, w, err := os.Pipe(); _, _, _ = r, w, err", ""},
		{"_ = x.Command(\"ls\").Run()", "exec.Cmd.Run"},
		{"out, _ := x.Command(\"ls\").Output(); println(out)", "exec.Cmd.Output"},
		{"c := x.Command(\"ls\"); c.Stdin = nil; c.Start(); defer c.Wait()", "exec.Cmd.Start"},
		{"c := x.Command(\"ls\"); go c.Run()", "exec.Cmd.Run"},
		{"path, _ := x.LookPath(\"ls\"); println(path)", "exec.LookPath"},
		{"if err := x.Command(\"ls\").Run(); err != nil { panic(err) }", ""},
		{"c.Run(); os.Getpid(); x.Command(\"ls\")", ""},
	} {
		f, err := Split([]byte(imports + c.statement + " }\n"))
		if err != nil {
			t.Fatal(err)
		}
		p, _ := f.Plan("wasip1", "1.26")
		var want []string
		if c.want != "" {
			want = []string{"prog.go:8: " + c.want + " always fails here (wasip1/wasm has none), and the program ignores " +
				"its error"}
		}
		if !slices.Equal(p.Ignored, want) {
			t.Errorf("%s: %q, want %q", c.statement, p.Ignored, want)
		}
	}
}

// TestPlanKnowsPlatform plans what only one platform builds.
func TestPlanKnowsPlatform(t *testing.T) {
	for _, c := range []struct{ body, goos string }{
		{"//go:build js\n\npackage main\n\nfunc main() {}\n", "js"},
		{"//go:build wasip1\n\npackage main\n\nfunc main() {}\n", "wasip1"},
		{"-- x_js.go --\npackage main\n\nfunc main() {}\n", "js"},
	} {
		f, err := Split([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for _, goos := range []string{"wasip1", "js"} {
			want := ""
			if goos != c.goos {
				want = "build constraints exclude all Go files: this is " + goos + "/wasm\n"
			}
			if _, problem := f.Plan(goos, "1.26"); problem != want {
				t.Errorf("%q for %s: %q, want %q", c.body, goos, problem, want)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	withImports := func(name string, text []byte) ([]byte, error) { return imports.Process(name, text, nil) }
	for _, c := range []struct {
		name, body string
		imports    bool
		want, err  string
	}{
		{name: "one file", body: " package main\n    func main( ) {  }\n", want: "package main\n\nfunc main() {}\n"},
		{name: "imports", body: " package main\nvar _ = fmt.Printf", imports: true,
			want: "package main\n\nimport \"fmt\"\n\nvar _ = fmt.Printf\n"},
		{name: "header kept", body: "-- prog.go --\n  package main", want: "-- prog.go --\npackage main\n"},
		{name: "several", body: "    package main\n\n\n-- two.go --\n   package main\n  var X = 5",
			want: "package main\n-- two.go --\npackage main\n\nvar X = 5\n"},
		{name: "go.mod", body: "-- a/go.mod --\n  module   \"foo\"   ", want: "-- a/go.mod --\nmodule foo\n"},
		{name: "other files stay", body: "package main\n-- x.txt --\n  x   x  \n\n",
			want: "package main\n-- x.txt --\n  x   x  \n\n"},
		{name: "does not parse", body: "package 1\n", err: "prog.go:1:9: expected 'IDENT', found 1"},
		{name: "does not parse, imports", body: "-- d/a.go --\npackage 1\n", imports: true,
			err: "d/a.go:1:9: expected 'IDENT', found 1"},
		{name: "no go.mod", body: "-- d/go.mod --\n1\n", err: "d/go.mod:1: unknown directive: 1"},
		{name: "no archive", body: "-- ../a.go --\n", err: `invalid file name "../a.go"`},
	} {
		goFile := FormatGo
		if c.imports {
			goFile = withImports
		}
		got, err := Format([]byte(c.body), goFile)
		if (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) ||
			string(got) != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}
