package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
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

// recorded reads the verdicts in the tests of package present, each with its sources. The JSON of a verdict has no
// kinds: a file named kinds has a line for each allocation, "stream.go:12 append-grew", the ones inside other packages
// last.
func recorded(t testing.TB) (all []fixture) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "present", "testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no verdict in the tests of package present (%v)", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		v := new(verdict.Verdict)
		if err := json.Unmarshal(archived(a, "verdict.json"), v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		kinds := strings.Split(string(archived(a, "kinds")), "\n")
		for _, allocations := range [][]verdict.Allocation{v.Allocations, v.Inside} {
			for i := range allocations {
				_, kind, _ := strings.Cut(kinds[0], " ")
				allocations[i].Kind, kinds = why.Kind(kind), kinds[1:]
			}
		}
		all = append(all, fixture{strings.TrimSuffix(filepath.Base(name), ".txtar"), v,
			func(file string) []byte { return archived(a, file) }})
	}
	return all
}

// large returns a verdict on a package of that many lines, in functions of 20 lines. That many of the lines allocate in
// each of the benchmarks.
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
	text := []byte(b.String())
	v := &verdict.Verdict{Title: "example.com/large", Go: "go1.26.8", Engine: "native", Pass: true}
	for i := range benchmarks {
		name := fmt.Sprintf("BenchmarkLarge%d", i)
		v.Benchmarks = append(v.Benchmarks, verdict.Benchmark{Name: name, N: 1000, NsPerOp: 1e6,
			AllocsPerOp: float64(allocating), BytesPerOp: float64(allocating) * 48, Pass: true})
		for i := range allocating {
			n := 3 + i*max(1, lines/allocating)
			reason := verdict.Reason{Line: n, Col: 12, Message: "append escapes to heap", Kind: why.AppendGrew,
				Why: "the array that append grows moves to the heap",
				Flow: []escape.Step{{File: "large.go", Line: n + 2, Col: 3,
					Message: fmt.Sprintf("value%d is stored in an interface", n)}}}
			v.Allocations = append(v.Allocations, verdict.Allocation{Benchmark: name, File: "large.go", Line: n,
				Func: "Lookup", Code: fmt.Sprintf("value%d := append([]byte(nil), \"some text\"...)", n),
				AllocsPerOp: 1 + float64(i%7), BytesPerOp: 48, Kind: reason.Kind, Why: reason.Why,
				Callees: []string{"strings.Clone", "internal/stringslite.Clone"}, Reasons: []verdict.Reason{reason}})
		}
	}
	return fixture{"large", v, func(string) []byte { return text }}
}

// payloads are texts that try to be read as markup, commands or control characters in a log or a comment.
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
	v := new(verdict.Verdict)
	fill(reflect.ValueOf(v).Elem(), text)
	v.Benchmarks[1].Name += "2"
	for _, allocations := range [][]verdict.Allocation{v.Allocations, v.Inside} {
		allocations[0].File = "x.go" // and the other one's is the text
		allocations[1].Benchmark += "2"
	}
	v.Escapes[0].File, v.Errors[0].File = "x.go", "x.go"
	// In the source, the text is a comment, a string, code and a name.
	source := []byte("package x\n/*" + text + "*/\n\tf(`" + text + "`) // " + text + "\nfunc " + text + "() {\n\"" +
		text + "\"\n}\n" + text)
	return fixture{"hostile", v, func(string) []byte { return source }}
}

// fill sets each text in a value, makes each list in it two elements long, and sets all numbers.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(field, text)
			}
		}
	}
}
