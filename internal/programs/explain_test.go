package programs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// explainer returns a playground that explains benchmarks, which are built with or without the go command.
func explainer(t *testing.T, commandOnly bool) programs.Playground {
	t.Helper()
	tools, err := build.OpenCached(t.Context(), build.DefaultLimits(), build.IsolatedOptions{CommandOnly: commandOnly},
		"fmt", "testing")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tools.Close() })
	return programs.Playground{
		Compiler: programs.Compiler{
			Builder: tools, GOOS: "wasip1", Language: strings.TrimPrefix(build.Oldest, "go"),
		},
		Loader: sandbox.Wasm{Limits: sandbox.Limits{
			Time: time.Minute, Memory: 256 << 20, Output: 64 << 10, Ready: 10 * time.Minute}},
	}
}

const benchmarked = `package main

import (
	"strings"
	"testing"
)

var sink any

func join(words []string) string {
	all := ""
	for _, word := range words {
		all += word
	}
	return all
}

var words = strings.Fields("which line allocates and why")

func BenchmarkJoin(b *testing.B) {
	for b.Loop() {
		join(words)
	}
}

func BenchmarkSizes(b *testing.B) {
	for _, n := range []int{8, 4000} {
		b.Run(strings.Repeat("x", n/1000), func(b *testing.B) {
			for range b.N {
				sink = make([]byte, n)
			}
		})
	}
}
`

// commandLine explains the program as "checkalloc explain" does, natively and as a test file.
func commandLine(t *testing.T, body string) *verdict.Verdict {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module play\n\ngo 1.26\n", "prog_test.go": body} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := userpkg.Config{Dir: dir}.Load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Compile(t.Context(), true); err != nil || !p.Built.OK {
		t.Fatalf("%v, %+v", err, p.Built)
	}
	built := p.Built
	runs, err := p.Measure(t.Context(), userpkg.MeasureOptions{Bench: ".", Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return verdict.UserPackage{
		ImportPath: p.ImportPath, Dir: p.Dir, Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, Files: p.Texts, Built: true,
		Diagnostics: built.Diagnostics, Runs: runs,
	}.Explain()
}

// essence is what a reader learns of the benchmarks from a verdict.
func essence(v *verdict.Verdict) string {
	var b strings.Builder
	for _, m := range v.Benchmarks {
		fmt.Fprintf(&b, "%s: %v allocs/op, %v B/op\n", m.Name, m.AllocsPerOp, m.BytesPerOp)
	}
	for _, a := range v.Allocations {
		fmt.Fprintf(&b, "%s, line %d, %s, %v of %v B: %s\n", a.Benchmark, a.Line, a.Func, a.AllocsPerOp, a.BytesPerOp,
			a.Why)
	}
	return b.String()
}

// TestExplain compares the verdict on a program's benchmarks with the command line's verdict.
func TestExplain(t *testing.T) { testExplain(t, false) }

// TestProofExplainByCommand is TestExplain with a program that the go command builds.
func TestProofExplainByCommand(t *testing.T) { testExplain(t, true) }

func testExplain(t *testing.T, commandOnly bool) {
	want := essence(commandLine(t, benchmarked))
	if strings.Count(want, "\n") < 6 {
		t.Fatalf("the command line says\n%s", want)
	}
	report, err := explainer(t, commandOnly).Explain(t.Context(), benchmarked)
	if err != nil || report.Errors != "" || report.Verdict == nil {
		t.Fatalf("%v, %+v", err, report)
	}
	v := report.Verdict
	if got := essence(v); got != want || !v.Pass {
		t.Errorf("got\n%s\nwant\n%s\n%q", got, want, v.Tests.Output)
	}
	for _, a := range v.Allocations {
		if a.File != programs.File || a.Code == "" {
			t.Errorf("%+v", a)
		}
	}
	if v.Engine != "wasm" || len(v.Escapes) == 0 || v.Escapes[0].File != programs.File {
		t.Errorf("engine %q, %d diagnostics", v.Engine, len(v.Escapes))
	}
}

// TestProofExplainOthers explains programs whose benchmarks cannot be measured, or that have none.
func TestProofExplainOthers(t *testing.T) {
	play := explainer(t, false)
	const imports = "package main\n\nimport \"testing\"\n\n"
	for _, c := range []struct {
		name, body string
		stage      string // "none" without a verdict
		says       string // in the verdict's output
		allocs     int    // lines that allocate
	}{
		{"no benchmark", "package main\n\nfunc main() {}\n", "none", "", 0},
		{"does not compile", imports + "func BenchmarkX(b *testing.B) { x() }\n", "none", "", 0},
		{"beside main, of another package, with a folder of the harness's name", imports +
			"import \"play/shape\"\n\nvar p *[64]byte\n\nfunc main() {}\n\n" +
			"func BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t\tp = new([64]byte)\n\t}\n}\n\n" +
			"func BenchmarkY(b *testing.B) {\n\tfor b.Loop() {\n\t\tshape.New()\n\t}\n}\n" +
			"-- shape/shape.go --\npackage shape\n\nvar p *[64]byte\n\nfunc New() {\n\tp = new([64]byte)\n}\n" +
			"-- zzharness/x.go --\npackage zzharness\n", "", "", 2},
		{"in a file of another name", "-- shape.go --\npackage main\n\nvar p *[64]byte\n\nfunc make64() { " +
			"p = new([64]byte) }\n-- shape_test.go --\n" + imports + "func BenchmarkX(b *testing.B) {\n" +
			"\tfor b.Loop() {\n\t\tmake64()\n\t}\n}\n\nvar q *int\n\nfunc BenchmarkY(b *testing.B) {\n" +
			"\tfor b.Loop() {\n\t\tq = new(int)\n\t}\n}\n", "", "", 2},
		{"fails", imports + "func BenchmarkX(b *testing.B) { b.Fatal(\"no cups\") }\n", verdict.StageBenchmark,
			"prog.go:5: no cups", 0},
		{"exits", imports + "import \"os\"\n\nfunc BenchmarkX(b *testing.B) { os.Exit(3) }\n", verdict.StageBenchmark,
			"the program ended in BenchmarkX (exit code 3)", 0},
		{"forges its report", imports + "import \"unsafe\"\n\n//go:wasmimport checkalloc write\n" +
			"func write(p unsafe.Pointer, n uint32)\n\nfunc init() {\n\ts := []byte(\"forged\\n\")\n" +
			"\twrite(unsafe.Pointer(&s[0]), 7)\n}\n\nfunc BenchmarkX(b *testing.B) {}\n", verdict.StageBenchmark,
			"the program wrote to the channel on which it is measured", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := play.Explain(t.Context(), c.body)
			if err != nil {
				t.Fatal(err)
			}
			v := report.Verdict
			if v == nil {
				if c.stage != "none" {
					t.Errorf("there is no verdict: %+v", report)
				}
				return
			}
			if v.Stage != c.stage || len(v.Allocations) != c.allocs || !strings.Contains(v.Tests.Output, c.says) {
				t.Errorf("%+v", v)
			}
		})
	}
}
