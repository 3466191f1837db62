package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/programs"
)

const leaking = `package main

import "io"

type point struct{ x int }

func same(p *point) *point { return p }

func read(r io.Reader) {
	var b [4]byte
	io.ReadFull(r, b[:])
}

func main() {
	println(same(&point{1}).x)
	read(nil)
}
`

// report sends a program to /escape, which must answer 200 and report on prog.go alone.
func report(t *testing.T, program string) programs.Report {
	t.Helper()
	a := postForm(t, "/escape", url.Values{"body": {program}})
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	r := decode[programs.Report](t, a)
	if r.Escapes == nil {
		t.Errorf("escapes is null, not empty: %s", a.body)
	}
	for _, d := range r.Escapes {
		if d.File != "prog.go" {
			t.Errorf("the report has %s:%d: %s", d.File, d.Line, d.Message)
		}
	}
	return r
}

func TestEscapeAnswersInTheVerdictsShape(t *testing.T) {
	t.Parallel()
	const program = "package main\n\nvar kept *int\n\n//go:noinline\nfunc main() { x := 1; kept = &x }\n"
	const want = `{"escapes":[` +
		`{"file":"prog.go","line":6,"col":6,"kind":"inline","message":"cannot inline main: marked go:noinline"},` +
		`{"file":"prog.go","line":6,"col":15,"kind":"moved","message":"moved to heap: x","flow":[` +
		`{"file":"prog.go","line":6,"col":15,"message":"","text":"flow: {heap} ← \u0026x:"},` +
		`{"file":"prog.go","line":6,"col":30,"message":"its address is taken: \u0026x","text":"from \u0026x ` +
		`(address-of)"},` +
		`{"file":"prog.go","line":6,"col":28,"message":"stored in kept, which outlives this frame","text":"from ` +
		`kept = \u0026x (assign)"}` +
		`]}],"errors":""}` + "\n"
	body, err := json.Marshal(map[string]string{"body": program})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{
		"form": postForm(t, "/escape", url.Values{"body": {program}}),
		"JSON": send(t, "POST", "/escape", "application/json", string(body)),
		"multipart": send(t, "POST", "/escape", "multipart/form-data; boundary=xx",
			"--xx\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n"+program+"\r\n--xx--\r\n"),
	} {
		if a.status != http.StatusOK || a.body != want {
			t.Errorf("%s: status %d\ngot  %swant %s", name, a.status, a.body, want)
		}
		for header, want := range map[string]string{
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "", "Vary": "Origin",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}
}

// TestEscapePlaces tests that each message is at its own line of the program, in the order of the source.
func TestEscapePlaces(t *testing.T) {
	t.Parallel()
	r := report(t, leaking)
	if r.Errors != "" {
		t.Fatal(r.Errors)
	}
	lines := strings.Split(leaking, "\n")
	var got []string
	previous := 0
	for _, d := range r.Escapes {
		if d.Line < previous {
			t.Errorf("line %d follows line %d", d.Line, previous)
		}
		previous = d.Line
		if d.Kind != escape.Inline {
			got = append(got, fmt.Sprintf("%s | %s", strings.TrimSpace(lines[d.Line-1]), d.Message))
		}
		for _, step := range d.Flow {
			if step.File != "prog.go" {
				t.Errorf("%s: a step is in %s", d.Message, step.File)
			}
		}
	}
	want := []string{
		"func same(p *point) *point { return p } | leaking param: p to result ~r0 level=0",
		"func read(r io.Reader) { | leaking param: r",
		"var b [4]byte | moved to heap: b",
		"println(same(&point{1}).x) | &point{...} does not escape",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEscapeBuildErrors tests that a program that does not build is answered as by /compile.
func TestEscapeBuildErrors(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{
		"types":           "package main\n\nfunc main() {\n\tx := 1\n\ty.z()\n}\n",
		"syntax":          "package main\n\nfunc main() {\n\t=1\n}\n",
		"two lines":       "package main\n\nfunc f(int, int) {}\n\nfunc main() { f(1) }\n",
		"package":         "package test\n\nfunc main() {}\n",
		"cgo":             "package main\n\nimport \"C\"\n\nfunc main() {}\n",
		"constraint":      "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
		"other module":    "package main\n\nimport _ \"example.com/a\"\n\nfunc main() {}\n",
		"this repository": "package main\n\nimport _ \"onthestack/internal/verdict\"\n\nfunc main() {}\n",
		"line directive":  "//line /etc/passwd:1\npackage main\n\nfunc main() { x }\n",
		"after a report": "package main\n\nvar kept *int\n\nfunc f(*int)\n\nfunc main() { kept = new(int); f(kept) " +
			"}\n",
	} {
		want := compile(t, program, false).Errors
		if r := report(t, program); r.Errors != want || want == "" {
			t.Errorf("%s: errors %q, /compile has %q", name, r.Errors, want)
		}
	}
	// A program that lacks only its main function is compiled but not linked, so it has a report.
	if r := report(t, "package main\n\nfunc f() *int { return new(int) }\n"); r.Errors != "" || len(r.Escapes) < 2 {
		t.Errorf("without main: %+v", r)
	}
}

// TestProofEscapeHostile sends /escape programs that are hard on the compiler or on the parser of its report.
func TestProofEscapeHostile(t *testing.T) {
	report(t, leaking)
	before := takeStock(t)
	for _, c := range []struct{ name, program, errors string }{
		{"many escapes", "package main\n\nvar kept any\n\nfunc main() {\n" + strings.Repeat("\tkept = new(int)\n",
			1500) + "}\n", ""},
		{"a long flow", "package main\n\nvar kept any\n\nfunc main() {\n\tx0 := new(int)\n" + chain(1500) +
			"\tkept = x1500\n}\n", ""},
		{"a report in a string", "package main\n\nvar s = `\nprog.go:1:1: moved to heap: x\n`\n\n" +
			"func main() { println(s) }\n", ""},
		{"another file's name", "//line ../../etc/passwd:1\npackage main\n\nvar kept *int\n\n" +
			"func main() { kept = new(int) }\n", ""},
		{"the stack's own file", "package main\n\nfunc runner_setMaxStack(int) int { return 0 }\n\nfunc main() {}\n",
			""},
		{"deep nesting", "package main\n\nvar x = " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) +
			"\n\nfunc main() {}\n", ""},
		{"a variable that takes 1.8 GB to compile", "package main\n\nvar x = [1900000000]byte{1899999999: 1}\n\n" +
			"func main() { println(x[0]) }\n", "needed more than 2048 MiB of memory and was stopped"},
	} {
		r := report(t, c.program)
		if !strings.Contains(r.Errors, c.errors) || c.errors == "" && r.Errors != "" {
			t.Errorf("%s: errors %.500q, want %q", c.name, r.Errors, c.errors)
		}
		for _, d := range r.Escapes {
			if d.Line > strings.Count(c.program, "\n") {
				t.Errorf("%s: there is no line %d", c.name, d.Line)
			}
		}
	}
	before.compare(t)
}

// chain returns statements that pass x0 on to xN.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tx%d := x%d\n", i+1, i)
	}
	return b.String()
}

// keepBenchmark is the beginning of a program with a benchmark.
const keepBenchmark = "package main\n\nimport \"testing\"\n\nvar kept *[64]byte\n\nfunc BenchmarkKeep(b *testing.B) {\n"

// TestEscapeExplains sends programs with benchmarks: the report has what each line allocates, and whether the
// benchmarks came to an end.
func TestEscapeExplains(t *testing.T) {
	t.Parallel()
	v := report(t, keepBenchmark+"\tfor b.Loop() {\n\t\tkept = new([64]byte)\n\t}\n}\n").Verdict
	if v == nil || !v.Pass || len(v.Benchmarks) != 1 || v.Benchmarks[0].AllocsPerOp != 1 || len(v.Allocations) != 1 {
		t.Fatalf("%+v", v)
	}
	if a := v.Allocations[0]; a.File != "prog.go" || a.Line != 9 || a.BytesPerOp != 64 || len(a.Reasons) != 1 {
		t.Errorf("%+v", a)
	}
	if v := report(t, leaking).Verdict; v != nil {
		t.Errorf("a program without benchmarks has the verdict %+v", v)
	}
}
