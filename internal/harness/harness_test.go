package harness

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/harness/wire"
)

func TestFunctions(t *testing.T) {
	const source = `package x_test

func Test() {}
func TestX() {}
func Test_x() {}
func Test1() {}
func Testify() {}
func TestÄ() {}
func Testä() {}
func TestMain() {}
func (T) TestMethod() {}
func BenchmarkX() {}
var TestV = 1
`
	for prefix, want := range map[string][]string{
		"Test":      {"Test", "TestX", "Test_x", "Test1", "TestÄ"},
		"Benchmark": {"BenchmarkX"},
		"Fuzz":      nil,
	} {
		_, file := parse(t, source)
		if names := Functions(file, prefix); !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", prefix, names, want)
		}
	}
}

func parse(t *testing.T, source string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file
}

func mark(t *testing.T, source string) string {
	t.Helper()
	fset, file := parse(t, source)
	return string(Mark(fset, file, []byte(source)))
}

func TestMark(t *testing.T) {
	const around = "package x\n\nimport \"testing\"\n\nfunc f(b *testing.B) {\n\t%\n}\n"
	for source, want := range map[string]string{
		"b.ResetTimer()":                            "b.ResetTimer(); zzTimed()",
		"b.ResetTimer() // from here on":            "b.ResetTimer(); zzTimed() // from here on",
		"if b.ok {\n\t\tb.ResetTimer()\n\t}":        "if b.ok {\n\t\tb.ResetTimer(); zzTimed()\n\t}",
		"switch { case b.ok: b.ResetTimer() }":      "switch { case b.ok: b.ResetTimer(); zzTimed() }",
		"select { default: b.ResetTimer(); b.x() }": "select { default: b.ResetTimer(); zzTimed(); b.x() }",
		"b.ResetTimer(); func() { b.ResetTimer() }()": "b.ResetTimer(); zzTimed(); func() { b.ResetTimer(); " +
			"zzTimed() }()",
		"b.StopTimer()\n\tb.x()\n\tb.StartTimer()": "b.StopTimer(); zzStopped()\n\tb.x()\n\tb.StartTimer(); " +
			"zzStarted()",
		"for b.Loop() { f() }\n\tb.x()": "zzLooping(); for b.Loop() { f() }; zzLooped()\n\tb.x()",
		"l: for i := 0; b.Loop(); i++ { continue l }": "zzLooping(); l: for i := 0; b.Loop(); i++ { continue l }; " +
			"zzLooped()",
		"if b.ok { for b.Loop() { b.StopTimer() } }": "if b.ok { zzLooping(); for b.Loop() { b.StopTimer(); " +
			"zzStopped() }; zzLooped() }",
		"for b.N > 0 {}; for c.Loop() {}; for !b.Loop() {}": "for b.N > 0 {}; for c.Loop() {}; for !b.Loop() {}",
		"b.Loop()": "b.Loop()",
		// Where no statement can follow, or it is another function.
		"for ; b.ok; b.ResetTimer() {}":             "for ; b.ok; b.ResetTimer() {}",
		"if b.ResetTimer(); b.ok {}":                "if b.ResetTimer(); b.ok {}",
		"defer b.ResetTimer()":                      "defer b.ResetTimer()",
		"b.ResetTimer(1); ResetTimer()":             "b.ResetTimer(1); ResetTimer()",
		"b.c.ResetTimer(); c.ResetTimer()":          "b.c.ResetTimer(); c.ResetTimer()",
		"func(b timer) { b.ResetTimer() }(nil)":     "func(b timer) { b.ResetTimer() }(nil)",
		"b.Run(b.Name(), f)":                        "b.Run(b.Name(), f)",
		"x := \"b.ResetTimer()\" // b.ResetTimer()": "x := \"b.ResetTimer()\" // b.ResetTimer()",
	} {
		if got := mark(t, strings.Replace(around, "%", source, 1)); got != strings.Replace(around, "%", want, 1) {
			t.Errorf("%s\nbecame\n%s", source, got)
		}
	}
}

// TestTestmainIsLight proves that package testmain needs only packages that package testing needs anyway. A check makes
// all of it ready to run each time.
func TestTestmainIsLight(t *testing.T) {
	for _, platform := range platforms {
		deps := func(pkg string) []string {
			cmd := exec.Command("go", "list", "-deps", pkg)
			cmd.Env = append(append(os.Environ(), "GOFLAGS="), platform...)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %v", cmd, err)
			}
			return strings.Fields(string(out))
		}
		anyway := deps("testing")
		ours := slices.DeleteFunc(deps("onthestack/internal/harness/testmain"),
			func(pkg string) bool { return slices.Contains(anyway, pkg) })
		if want := []string{"onthestack/internal/harness/wire", "onthestack/internal/harness/testmain"}; !slices.Equal(
			ours, want) {
			t.Errorf("%v: testmain needs more than testing: %v, want %v", platform, ours, want)
		}
	}
}

// platforms are the platforms of a check, as settings of the go command.
var platforms = [][]string{nil, {"GOOS=wasip1", "GOARCH=wasm"}, {"GOOS=js", "GOARCH=wasm"}}

// A checked is a package as a check lays it out, in a folder of its own.
type checked struct{ dir string }

func layOut(t *testing.T, x, tests string) checked {
	t.Helper()
	_, file := parse(t, tests)
	names := Functions(file, "Test")
	var benchmarks []Benchmark
	for _, name := range Functions(file, "Benchmark") {
		benchmarks = append(benchmarks, Benchmark{Name: name})
	}
	files, err := Files("exercises/x", "x_test", names, benchmarks)
	if err != nil {
		t.Fatal(err)
	}
	files["go.mod"] = []byte("module onthestack\n\ngo 1.26.0\n")
	files["exercises/x/x.go"] = []byte(x)
	files["exercises/x/x_test.go"] = []byte(mark(t, tests))
	// The same tests where the go command takes them for a package of its own, which a main package may import.
	files["exercises/x_test/x.go"] = files["exercises/x/x_test.go"]
	files["exercises/x_test/zz.go"] = files["exercises/x/"+MainFile]
	files["main.go"] = Main("onthestack/exercises/x_test")
	c := checked{t.TempDir()}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(c.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, files[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// build builds the test binary with the main package of "go test", or with ours.
func (c checked) build(t *testing.T, ours bool, platform []string) (binary string) {
	t.Helper()
	binary = filepath.Join(c.dir, "go.test")
	args := []string{"test", "-c", "-trimpath", "-o", binary, "./exercises/x"}
	if ours {
		binary = filepath.Join(c.dir, "ours")
		args = []string{"build", "-trimpath", "-ldflags=-X=testing.testBinary=1", "-o", binary, "."}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = c.dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0"), platform...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %v: %v\n%s", platform, cmd, err, out)
	}
	return binary
}

// TestSize proves that a test binary with our main package is much smaller than one with the main package of go test.
// Its size is what makes a check under WebAssembly fast.
func TestSize(t *testing.T) {
	c := layOut(t, "package x\n", "package x_test\n\nimport \"testing\"\n\nfunc BenchmarkX(*testing.B) {}\n")
	var sizes []int64
	for _, ours := range []bool{false, true} {
		info, err := os.Stat(c.build(t, ours, platforms[1]))
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	if sizes[1]*4 > sizes[0]*3 {
		t.Errorf("%d bytes with our main package, %d with the main package of go test", sizes[1], sizes[0])
	}
}

const behaviors = `package x_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"onthestack/exercises/x"
)

var mode = os.Getenv("MODE")

func TestFirst(t *testing.T) {
	if !testing.Testing() || testing.Verbose() || testing.Short() {
		t.Fatal("not as under go test")
	}
	switch mode {
	case "error":
		t.Error("TestFirst fails")
	case "panic":
		panic("TestFirst panics")
	case "exit":
		os.Exit(0)
	case "goexit":
		runtime.Goexit()
	case "skip":
		t.Skip("NOT TESTED: this test is skipped to see how the harness reports it")
	case "print":
		fmt.Println("PASS")
		fmt.Fprintln(os.Stderr, "done")
	}
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if mode == "subtest" && i == 1 {
				t.Fatal("one of three")
			}
		})
	}
}

func TestSecond(t *testing.T) {
	if mode == "second" {
		t.Error("TestSecond fails")
	}
}

var sink []byte

func BenchmarkN(b *testing.B) {
	for i := range 50 {
		sink = make([]byte, i+1) // the setup
	}
	b.ResetTimer()
	for range b.N {
		sink = x.New()
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		sink = x.New()
	}
}

func BenchmarkTenth(b *testing.B) {
	for i := range b.N {
		if i%10 == 9 {
			sink = x.New()
		}
	}
}

func BenchmarkNothing(b *testing.B) {
	sink = make([]byte, 100)
	for range b.N {
		x.Nothing()
	}
}

func BenchmarkLast(b *testing.B) {
	switch mode {
	case "benchmark fatal":
		b.Fatal("BenchmarkLast fails")
	case "benchmark error":
		b.Error("BenchmarkLast fails")
	case "benchmark panic":
		panic("BenchmarkLast panics")
	case "benchmark exit":
		os.Exit(0)
	case "benchmark goexit":
		runtime.Goexit()
	}
}
`

const behaving = `package x

//go:noinline
func New() []byte { return make([]byte, 64) }

//go:noinline
func Nothing() {}
`

// TestBothMains runs the same package with the main package of go test and with ours: its report, its output and its
// exit code are the same, whatever its tests and benchmarks do.
func TestBothMains(t *testing.T) {
	c := layOut(t, behaving, behaviors)
	theirs, ours := c.build(t, false, nil), c.build(t, true, nil)
	const measured = "benchmarks\nbenchmark \"BenchmarkN\" 1000 _ 64 1 40\nbenchmark \"BenchmarkLoop\" 1000 _ 64 " +
		"1 40\n" +
		"benchmark \"BenchmarkTenth\" 1000 _ 6.4 0.1 40\nbenchmark \"BenchmarkNothing\" 1000 _ 0 0 40\n"
	const last = "benchmark \"BenchmarkLast\" 1000 _ 0 0 1000\n"
	for _, test := range []struct {
		mode   string
		exit   int
		report string
		output string // a part of it
	}{
		{"", 0, "tests 0\ndone\n", "PASS\n"},
		{"", 0, measured + last + "done\n", ""},
		{"print", 0, "tests 0\ndone\n", "PASS\ndone\nPASS\n"},
		{"skip", 0, "tests 0\ndone\n", "PASS\n"},
		{"error", 1, "tests 1\ndone\n", "--- FAIL: TestFirst ("},
		{"subtest", 1, "tests 1\ndone\n", "    --- FAIL: TestFirst/1 ("},
		{"second", 1, "tests 1\ndone\n", "--- FAIL: TestSecond ("},
		{"panic", 2, "", "panic: TestFirst panics"},
		{"exit", 0, "", ""},
		{"goexit", 2, "", "test executed panic(nil) or runtime.Goexit"},
		{"benchmark fatal", 0, measured + "failed \"BenchmarkLast\"\ndone\n", "BenchmarkLast fails"},
		{"benchmark error", 0, measured + "failed \"BenchmarkLast\"\ndone\n", "BenchmarkLast fails"},
		{"benchmark goexit", 0, measured + "failed \"BenchmarkLast\"\ndone\n", ""},
		{"benchmark panic", 2, measured, "panic: BenchmarkLast panics"},
		{"benchmark exit", 0, measured, "PASS\n"},
	} {
		for _, binary := range []string{theirs, ours} {
			part := wire.Tests
			if strings.HasPrefix(test.report, "benchmarks") {
				part = wire.Benchmarks
			}
			report, output, exit := runChecked(t, binary, test.mode, part)
			if exit != test.exit || !strings.Contains(output, test.output) {
				t.Errorf("%q, %s: exit code %d, want %d, output, want %q in it:\n%s", test.mode, filepath.Base(binary),
					exit, test.exit, test.output, output)
			}
			if got := outline(report); got != test.report {
				t.Errorf("%q, %s: reported\n%swant\n%s", test.mode, filepath.Base(binary), got, test.report)
			}
			if _, err := wire.Parse(report); err != nil {
				t.Errorf("%q, %s: %v", test.mode, filepath.Base(binary), err)
			}
		}
	}

	// Only allocations of operations are reported, and the lines together have all of them.
	report, _, _ := runChecked(t, ours, "", wire.Benchmarks)
	r, err := wire.Parse(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Benchmarks {
		var objects int64
		for _, s := range b.Stacks {
			objects += s.Objects
			if len(s.Frames) < 3 || s.Frames[1].Func != "runtime.makeslice" ||
				s.Frames[2].Func != "onthestack/exercises/x.New" ||
				filepath.Base(s.Frames[2].File) != "x.go" || s.Frames[2].Line != 4 || s.Size != 64 {
				t.Errorf("%s: %+v", b.Name, s)
			}
		}
		if float64(objects) != b.AllocsPerOp*float64(b.Profiled) {
			t.Errorf("%s: %d objects in %d operations, %v allocs/op", b.Name, objects, b.Profiled, b.AllocsPerOp)
		}
	}
}

func runChecked(t *testing.T, binary, mode, part string) (report []byte, output string, exit int) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.timeout=0", part)
	cmd.Env = []string{"MODE=" + mode, wire.FileVariable + "=" + name}
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	report, err = os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return report, string(out), cmd.ProcessState.ExitCode()
}

var (
	stackLines = regexp.MustCompile(`(?m)^(stack|frame) .*\n`)
	nsPerOp    = regexp.MustCompile(`(?m)^(benchmark "\w+" \d+) \S+( \S+ \S+ \d+) 0 false 0 0 0 0 0$`)
)

// outline is a report without times and places.
func outline(report []byte) string {
	return string(nsPerOp.ReplaceAll(stackLines.ReplaceAll(bytes.Clone(report), nil), []byte("$1 _$2")))
}

// FuzzMark proves that a file that parses still parses afterwards, with every line where it was.
func FuzzMark(f *testing.F) {
	f.Add("package x\n\nimport \"testing\"\n\nfunc f(b *testing.B) {\n\tb.ResetTimer()\n}\n")
	f.Add("package x; import \"testing\"; func f(b *testing.B) { l: for b.Loop() { for b.Loop() {} } }")
	f.Add("package x; import \"testing\"; func f(b *testing.B) { L: for { select { case <-c: b.ResetTimer(); " +
		"default: { b.ResetTimer() } } } }")
	f.Add("package x\n\nimport t \"testing\"\n\nfunc f(b *t.B) {\n\tg(func() { b.\n\t\tResetTimer /* a */ () // " +
		"b\n\t})\n}\n\n//line y.go:7\nfunc h(b *t.B) { b.ResetTimer() }\n")
	f.Fuzz(func(t *testing.T, source string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", source, 0)
		if err != nil {
			return
		}
		marked := string(Mark(fset, file, []byte(source)))
		if _, err := parser.ParseFile(token.NewFileSet(), "", marked, parser.SkipObjectResolution); err != nil {
			t.Errorf("%v\n%s", err, marked)
		}
		unmark := regexp.MustCompile(`; zz(Timed|Stopped|Started|Looped)\(\)|zzLooping\(\); `)
		if unmark.ReplaceAllString(marked, "") != unmark.ReplaceAllString(source, "") {
			t.Errorf("more was changed:\n%s", marked)
		}
	})
}
