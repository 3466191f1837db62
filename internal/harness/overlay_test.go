package harness

import (
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/harness/wire"
)

func TestRewrite(t *testing.T) {
	const around = "package x\n\nimport \"testing\"\n\nfunc f(b *testing.B, c int) {\n\t%\n}\n"
	for source, want := range map[string]string{
		`b.Run("x", g)`:                      `zzCheckallocSub(b, "x", g)`,
		`b.Run(b.Name()+"/x", g)`:            `zzCheckallocSub(b, zzCheckallocName(b)+"/x", g)`,
		`b.Run(args())`:                      `zzCheckallocOf(b)(args())`,
		`h(b.Run)`:                           `h(zzCheckallocOf(b))`,
		"b.ResetTimer() // now":              "b.ResetTimer(); zzCheckallocTimed() // now",
		"if c > 0 { b.StopTimer() }":         "if c > 0 { b.StopTimer(); zzCheckallocStopped() }",
		"switch { default: b.StartTimer() }": "switch { default: b.StartTimer(); zzCheckallocStarted() }",
		`b.Run("x", func(s *testing.B) { s.Run("y", func(b *testing.B) { b.ResetTimer() }) })`: `zzCheckallocSub(b, ` +
			`"x", func(s *testing.B) { zzCheckallocSub(s, "y", ` +
			`func(b *testing.B) { b.ResetTimer(); zzCheckallocTimed() }) })`,
		`func() { b.Run("x", g) }()`: `func() { zzCheckallocSub(b, "x", g) }()`,
		// Not the benchmark, or not as a statement.
		`func(b *testing.T) { b.Run("x", g) }(nil)`: `func(b *testing.T) { b.Run("x", g) }(nil)`,
		`{ b := other(b); b.Run("x", g) }`:          `{ b := other(b); b.Run("x", g) }`,
		`for _, b := range bs { b.Run("x", g) }`:    `for _, b := range bs { b.Run("x", g) }`,
		`{ var b T; b.Run("x", g) }`:                `{ var b T; b.Run("x", g) }`,
		`{ b := other(b) }; h(b.Run)`:               `{ b := other(b) }; h(zzCheckallocOf(b))`,
		`c.Run("x", g); s.b.Run("x", g)`:            `c.Run("x", g); s.b.Run("x", g)`,
		`defer b.StopTimer()`:                       `defer b.StopTimer()`,
		`x := "b.Run()" // b.Run("x", g)`:           `x := "b.Run()" // b.Run("x", g)`,
	} {
		text := []byte(strings.Replace(around, "%", source, 1))
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", text, 0)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		got, changed := rewrite(&rewriter{fset: fset, prefix: overlayPrefix, subs: true}, file, text)
		if string(got) != strings.Replace(around, "%", want, 1) || changed != (source != want) {
			t.Errorf("%s\nbecame (%v)\n%s", source, changed, got)
		}
	}
	for _, imports := range []string{"import . \"testing\"", "import _ \"testing\"", "import \"other/testing\""} {
		text := []byte("package x\n\n" + imports + "\n\nfunc f(b *testing.B) { b.ResetTimer() }\n")
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, changed := rewrite(&rewriter{fset: fset, prefix: overlayPrefix, subs: true}, file, text); changed {
			t.Errorf("%s: rewritten", imports)
		}
	}
}

func TestOriginal(t *testing.T) {
	for text, want := range map[string]string{
		`from zzCheckallocSub(b, "x", func literal) (call parameter)`: `from (*testing.B).Run(b, "x", func ` +
			`literal) (call parameter)`,
		"zzCheckallocOf(b) escapes": "(*testing.B).Run(b) escapes",
		"x does not escape":         "x does not escape",
	} {
		if got := Original(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

const userTests = `package x_test

import (
	"testing"

	"foreign/x"
)

var sink []byte

func BenchmarkPlain(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = x.New()
	}
}

func BenchmarkSub(b *testing.B) {
	kept := x.New()
	for _, name := range []string{"one", "one", "two"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sink = x.New()
				if name == "two" {
					sink = append(x.New(), kept...)
				}
			}
		})
	}
}

func BenchmarkStopped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		sink = make([]byte, 1000)
		sink = make([]byte, 1000)
		b.StartTimer()
		sink = x.New()
	}
}
`

// figures matches the event of a benchmark. How many operations are measured depends on the machine's speed.
var figures = regexp.MustCompile(`(?m)^(benchmark "[^"]*") \d+ \S+ (\S+ \S+) \d+ 0 false 0 0 0 0 0$`)

// oldReleases are releases that a user's module may still need. One is enough for the test, the oldest that there is.
var oldReleases = []string{"go1.21.13", "go1.22.12", "go1.23.12", "go1.24.13"}

// withRelease returns the environment for the first of the releases that the go command has or can fetch. If there is
// none, missing is what the go command said.
func withRelease(env, releases []string) (_ []string, missing string) {
	for _, release := range releases {
		with := append(slices.Clip(env), "GOTOOLCHAIN="+release)
		for range 3 { // a proxy that has to fetch a release itself may say at first that it does not have it
			version := exec.Command("go", "version")
			version.Dir, version.Env = os.TempDir(), with
			out, err := version.CombinedOutput()
			if err == nil {
				return with, ""
			}
			if missing = string(out); !strings.Contains(missing, "toolchain not available") {
				break
			}
		}
	}
	return nil, missing
}

// TestOverlay measures a package of a module in the language of Go 1.16 with the installed Go. Figures and places are
// exact.
func TestOverlay(t *testing.T) { measureOverlay(t, "local") }

// TestProofOverlay is TestOverlay with an old release, whose standard library has to be compiled, if this machine has
// one.
func TestProofOverlay(t *testing.T) { measureOverlay(t, oldReleases...) }

func measureOverlay(t *testing.T, releases ...string) {
	t.Helper()
	dir := t.TempDir()
	f := UserPackage{
		Name:   "x",
		Files:  map[string][]byte{"x.go": []byte(behaving), "x_test.go": []byte(userTests)},
		XTests: []string{"x_test.go"},
	}
	overlay, benchmarks := f.Overlay("foreign/internal/h")
	if want := []string{"BenchmarkPlain", "BenchmarkSub", "BenchmarkStopped"}; !slices.Equal(benchmarks, want) {
		t.Fatalf("%v, want %v", benchmarks, want)
	}
	if lines := strings.Count(string(overlay["x_test.go"]), "\n"); lines != strings.Count(userTests, "\n") {
		t.Errorf("the rewritten file has %d lines", lines)
	}
	packages, err := OverlayPackages("foreign/internal/h")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"go.mod": []byte("module foreign\n\ngo 1.16\n")}
	for name, text := range packages {
		files["internal/h/"+name] = text
	}
	for name, text := range f.Files {
		files["x/"+name] = text
	}
	for name, text := range overlay {
		files["x/"+name] = text
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, files[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if os.Getenv("CI") != "true" {
		env = append(env, "GOPROXY=off") // what is not here is not fetched
	}
	env, missing := withRelease(env, releases)
	if missing != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skipf("NOT TESTED: building for one of %v. None is on this machine, and the test downloads none: %s",
			releases, missing)
	}
	binary := filepath.Join(dir, "x.test")
	cmd := exec.Command("go", "test", "-c", "-o", binary, "./x")
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for pattern, want := range map[string]string{
		".": "begin \"BenchmarkPlain\"\nbenchmark \"BenchmarkPlain\" _ 64 1\nbegin \"BenchmarkSub\"\n" +
			"begin \"BenchmarkSub/one\"\nbenchmark \"BenchmarkSub/one\" _ 64 1\n" +
			"begin \"BenchmarkSub/one#01\"\nbenchmark \"BenchmarkSub/one#01\" _ 64 1\n" +
			"begin \"BenchmarkSub/two\"\nbenchmark \"BenchmarkSub/two\" _ 256 3\n" +
			"begin \"BenchmarkStopped\"\nbenchmark \"BenchmarkStopped\" _ 64 1\n",
		"Sub/two":      "begin \"BenchmarkSub/two\"\nbenchmark \"BenchmarkSub/two\" _ 256 3\n",
		"Plain/x":      "",
		"Nope|Sub/#01": "begin \"BenchmarkSub/one#01\"\nbenchmark \"BenchmarkSub/one#01\" _ 64 1\n",
	} {
		report := filepath.Join(dir, "report")
		if err := os.WriteFile(report, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(binary, "-test.run="+OverlayTests)
		run.Env = append(
			env,
			wire.FileVariable+"="+report,
			wire.BenchVariable+"="+pattern,
			wire.CountVariable+"=0",
			wire.LimitVariable+"=1m",
		)
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(figures.ReplaceAll(stackLines.ReplaceAll(slices.Clone(text), nil),
			[]byte("$1 _ $2"))); got != "tests 0\n"+want+"done\n" {
			t.Errorf("%s: reported\n%swant\n%s", pattern, got, want)
		}
		parsed, err := wire.Parse(text)
		if err != nil || !parsed.Done {
			t.Errorf("%s: %v, done %v", pattern, err, parsed.Done)
		}
		for _, b := range parsed.Benchmarks {
			var objects int64
			for _, s := range b.Stacks {
				if slices.ContainsFunc(
					s.Frames,
					func(f wire.Frame) bool { return strings.HasSuffix(f.Func, "testmain.startAllocator.func1") },
				) {
					continue // it is charged to no line
				}
				objects += s.Objects
			}
			if n := b.AllocsPerOp * float64(b.Profiled); math.Abs(float64(objects)-n) > 0.5 {
				t.Errorf(
					"%s: %d objects on its stacks, want %v",
					b.Name,
					objects,
					b.AllocsPerOp*float64(b.Profiled),
				)
			}
		}
	}
}
