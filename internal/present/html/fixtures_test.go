package html

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A fixture is a verdict with the sources that it is about.
type fixture struct {
	name    string
	verdict *verdict.Verdict
	source  func(file string) []byte
}

// recorded reads the archives in ../testdata. Each has verdict.json, the sources, and, because the JSON of a verdict has no
// kinds, a file named kinds with a line for each allocation, in the order of the allocations, the ones inside other
// packages last: "stream.go:12 append-grew". The sources of other packages are named with the import path.
func recorded(t testing.TB) (all []fixture) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no verdict in ../testdata (%v)", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, f := range archive.Files {
			files[f.Name] = f.Data
		}
		v := new(verdict.Verdict)
		if err := json.Unmarshal(files["verdict.json"], v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		kinds := string(files["kinds"])
		for _, allocations := range [][]verdict.Allocation{v.Allocations, v.Inside} {
			for i := range allocations {
				a := &allocations[i]
				var line string
				line, kinds, _ = strings.Cut(kinds, "\n")
				kind, ok := strings.CutPrefix(line, fmt.Sprintf("%s:%d ", a.File, a.Line))
				if a.Kind = why.Kind(kind); !ok || !slices.Contains(why.Kinds(), a.Kind) {
					t.Fatalf("%s: the line %q of kinds does not give the kind of what %s:%d allocates", name, line,
						a.File, a.Line)
				}
			}
		}
		all = append(all, fixture{strings.TrimSuffix(filepath.Base(name), ".txtar"), v,
			func(file string) []byte { return files[file] }})
	}
	return all
}

// large returns a verdict on a package of that many lines, in functions of 20 lines. That many of the lines allocate in
// each of the benchmarks, and the compiler has a diagnostic for every second line.
func large(lines, allocating, benchmarks int) fixture {
	var b strings.Builder
	b.WriteString("package large\n")
	for n := 2; n <= lines; n++ {
		switch n % 20 {
		case 2:
			fmt.Fprintf(&b, "func (t *table%d) Lookup%d(key string, found []byte) ([]byte, error) {\n", n, n)
		case 1:
			b.WriteString("}\n")
		default:
			fmt.Fprintf(&b, "\tvalue%d := append([]byte(nil), \"some text\"...) // comment %d\n", n, n)
		}
	}
	v := &verdict.Verdict{Schema: verdict.Schema, Title: "example.com/large", Go: "go1.26.8", GOOS: "linux",
		GOARCH: "amd64", Engine: "native", Pass: true}
	for i := range benchmarks {
		v.Benchmarks = append(v.Benchmarks,
			verdict.Benchmark{Name: fmt.Sprintf("BenchmarkLarge%d", i), N: 1000, NsPerOp: 1e6,
				AllocsPerOp: float64(allocating), BytesPerOp: float64(allocating) * 48, Pass: true})
	}
	for n := 2; n <= lines; n += 2 {
		flow := []escape.Step{
			{File: "large.go", Line: n, Col: 12,
				Text: fmt.Sprintf("flow: value%d ← &{storage for append([]byte(nil), \"some text\"...)}:", n)},
			{File: "large.go", Line: min(n+3, lines), Col: 3,
				Text:    fmt.Sprintf("from value%d (interface-converted)", n),
				Message: fmt.Sprintf("value%d is stored in an interface", n)},
		}
		v.Escapes = append(v.Escapes, escape.Diagnostic{File: "large.go", Line: n, Col: 12, Kind: escape.Escape,
			Message: "append escapes to heap", Flow: flow})
	}
	for i := range allocating {
		n := 3 + i*max(1, lines/max(allocating, 1))
		reason := verdict.Reason{Line: n, Col: 12, Message: "append escapes to heap", Kind: why.AppendGrew,
			Why: "the array that append grows moves to the heap",
			Flow: []escape.Step{{File: "large.go", Line: n + 2, Col: 3,
				Message: fmt.Sprintf("value%d is stored in an interface", n)}}}
		for j := range benchmarks {
			v.Allocations = append(v.Allocations, verdict.Allocation{Benchmark: fmt.Sprintf("BenchmarkLarge%d", j),
				File: "large.go", Line: n, Func: "Lookup",
				Code: fmt.Sprintf("value%d := append([]byte(nil), \"some text\"...)", n), AllocsPerOp: 1 + float64(i%7),
				BytesPerOp: 48, Kind: reason.Kind, Why: reason.Why,
				Callees: []string{"strings.Clone", "internal/stringslite.Clone"}, Reasons: []verdict.Reason{reason}})
		}
	}
	text := []byte(b.String())
	return fixture{"large", v, func(file string) []byte {
		if file == "large.go" {
			return text
		}
		return nil
	}}
}

// payloads are texts that try to be read as markup or as control characters.
var payloads = []string{
	`<script>document.title="owned"</script>`,
	`"><img src=x onerror="document.title='owned'">`,
	`' onmouseover='document.title="owned"' x='`,
	`</style></title></textarea></script><script>document.title="owned"</script>`,
	`javascript:document.title="owned"//`,
	`<svg onload="document.title='owned'"><a xlink:href="javascript:alert(1)">`,
	"]]><!-- --><![CDATA[ &lt;script&gt; &#60;b&#62; {{.}} {{template \"row\"}}",
	"```\n</details>\n# heading\n@octocat #1 GH-1 https://example.com www.example.com [a](https://example.com) " +
		"![i](//example.com/i.png)\n~~~ | a | b |\n|--|--|\n",
	"`a` **b** _c_ <b>d</b> | e | \\| f @octocat someone@example.com <https://example.com> $x$ :tada:",
	"a\x00b\x1b[2J\u202egnirts\u2066\u200b\ufeff\ufffe\r\n\u2028c\xff\xfe\xc3(",
	"{0} [x](1) [y](javascript:alert(1)) {{1}} %SRCROOT% ../../../etc/passwd",
}

// hostile returns a verdict and a source that contain text in every place where there can be text.
func hostile(text string) fixture {
	target := 1.0
	step := escape.Step{File: text, Line: 2, Col: 1, Message: text, Text: text}
	local := escape.Step{File: "x.go", Line: 2, Col: 1, Message: text, Text: text}
	reason := verdict.Reason{Line: 3, Col: 2, Message: text, Kind: why.Kind(text), Why: text,
		Flow: []escape.Step{step, local}}
	allocation := func(file, benchmark string, reasons ...verdict.Reason) verdict.Allocation {
		return verdict.Allocation{Benchmark: benchmark, File: file, Line: 3, Func: text, Code: text, AllocsPerOp: 1.5,
			BytesPerOp: 20, Shared: true,
			Kind: why.Kind(text), Why: text, Callees: []string{text, text}, Reasons: reasons}
	}
	v := &verdict.Verdict{
		Schema: text, Exercise: text, Title: text, Go: text, GOOS: text, GOARCH: text, Engine: text, Stage: text,
		Errors: []verdict.Problem{{File: text, Line: 1, Col: 1, Message: text}, {File: "x.go", Line: 3, Message: text}},
		Tests:  verdict.Tests{Run: 1, Failed: 1, Output: text, Race: verdict.Race{State: verdict.RaceState(text), Why: text}},
		Benchmarks: []verdict.Benchmark{
			{Name: text, AllocsPerOp: 3, BytesPerOp: 100, TargetAllocs: &target, TargetBytes: &target},
			{Name: text + "2", AllocsPerOp: 2},
		},
		Allocations: []verdict.Allocation{allocation("x.go", text, reason), allocation(text, text+"2"),
			allocation("x.go", text+"2", reason)},
		Inside: []verdict.Allocation{allocation("y.go", text, reason), allocation(text, text+"2", reason)},
		Escapes: []escape.Diagnostic{
			{File: "x.go", Line: 3, Col: 2, Kind: escape.Kind(text), Message: text, Flow: []escape.Step{step, local}},
			{File: text, Line: 1, Col: 0, Kind: escape.Escape, Message: text + " escapes to heap"},
		},
		SetAside: []string{text},
	}
	for i := range v.Inside {
		v.Inside[i].Package = text
	}
	// In the source, the text is a comment, a string, code and a name.
	source := []byte("package x\n/*" + text + "*/\n\tf(`" + text + "`) // " + text + "\nfunc " + text + "() {\n\"" +
		text + "\"\n}\n" + text)
	return fixture{"hostile", v, func(string) []byte { return source }}
}
