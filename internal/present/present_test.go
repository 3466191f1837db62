package present

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

const source = `package p

import "fmt"

// table is filled
// when the program starts.
var table = map[string]int{
	"a": 1,
}

// F does it.
func F() {
	go func() {
		fmt.Println(1)
	}()
}

type T[K comparable, V any] struct{ v V }

func (t *T[K, V]) Get() V { return t.v }

func (T[_, V]) Put() {
	_ = 1
}
func last() {}
`

func TestDeclarations(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "[]"},
		{"package p", "[]"},
		{source, "[{var table 5 9 7} {F 11 16 12} {type T 18 18 18} {(*T).Get 20 20 20} {T.Put 22 24 22} {last 25 25 25}]"},
		// Of two on one line the first has it.
		{"package p\nfunc a() {}; func b() {\n}\n", "[{a 2 2 2} {b 3 3 2}]"},
		{"package p\nfunc a() {\n\tx := \n}\n\nfunc b() {}\n}}}", "[{a 2 7 2}]"},
		{"//line other.go:100\npackage p\n//line other.go:200\nfunc a() {}\n", "[{a 3 4 4}]"},
		{"no Go at all {{{", "[]"},
	} {
		if got := fmt.Sprint(declarations([]byte(c.text))); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func files(string) []byte { return []byte(source) }

// TestFunctions: lines of all benchmarks are joined, divided among declarations, and ordered by what one benchmark counts.
func TestFunctions(t *testing.T) {
	at := func(benchmark string, line int, fn string, allocs, bytes float64, why string) verdict.Allocation {
		return verdict.Allocation{Benchmark: benchmark, File: "p.go", Line: line, Func: fn, AllocsPerOp: allocs, BytesPerOp: bytes, Why: why}
	}
	v := &verdict.Verdict{
		Benchmarks: []verdict.Benchmark{{Name: "A", AllocsPerOp: 10, BytesPerOp: 100}, {Name: "B", AllocsPerOp: 4, BytesPerOp: 64}},
		Allocations: []verdict.Allocation{
			at("A", 20, "(*T[...]).Get", 3, 48, "x"), at("A", 14, "F.func1", 2, 16, "x"), at("A", 13, "F", 1, 8, "x"),
			at("B", 14, "F.func1", 2, 32, "x"), at("B", 14, "F", 1, 8, "y"), at("B", 8, "init", 3, 40, "x"), at("A", 999, "Lost.func2.1", 1, 1, "x"),
		},
	}
	got := ""
	shares := SharesOf(v)
	for _, f := range Functions(v, files) {
		got += fmt.Sprintf("%s %d-%d %v %.2f:", f.Name, f.First, f.Last, f.Most(), shares.Of(f.Figures()))
		for _, l := range f.Lines {
			got += fmt.Sprintf(" %d %v", l.Number, l.Figures())
		}
		got += "\n"
	}
	want := `(*T).Get 20-20 {A 3 48} 0.48: 20 [{A 3 48}]
var table 5-9 {B 3 40} 0.50: 8 [{B 3 40}]
F 11-16 {B 3 40} 0.50: 13 [{A 1 8}] 14 [{A 2 16} {B 3 40}]
Lost 0-0 {A 1 1} 0.10: 999 [{A 1 1}]
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	l := Functions(v, files)[2].Lines[1]
	if got, want := fmt.Sprint(l.Notes()), fmt.Sprint([]Note{
		{Kind: named(unstated), Why: "x", Figures: []Figure{{"A", 2, 16}, {"B", 2, 32}}},
		{Kind: named(unstated), Why: "y", Figures: []Figure{{"B", 1, 8}}},
	}); got != want {
		t.Errorf("notes: got %s, want %s", got, want)
	}

	// Without sources the runtime's names divide them.
	names := []string{}
	for _, f := range Functions(v, nil) {
		names = append(names, f.Name)
	}
	if want := []string{"(*T[...]).Get", "init", "F", "Lost"}; !slices.Equal(names, want) {
		t.Errorf("without sources: got %q, want %q", names, want)
	}
}

// TestAnnounced: without a benchmark the compiler's announcements stand in, but constants', and not those of what does not build.
func TestAnnounced(t *testing.T) {
	v := &verdict.Verdict{Escapes: []escape.Diagnostic{
		{File: "p.go", Line: 14, Col: 14, Kind: escape.Escape, Message: "1 escapes to heap"},
		{File: "p.go", Line: 14, Col: 14, Kind: escape.Stays, Message: "... argument does not escape"},
		{File: "p.go", Line: 13, Col: 5, Kind: escape.Escape, Message: "func literal escapes to heap"},
		{File: "p.go", Line: 20, Col: 7, Kind: escape.Moved, Message: "moved to heap: t"},
	}}
	got := ""
	for _, f := range Functions(v, files) {
		for _, l := range f.Lines {
			n := l.Notes()
			got += fmt.Sprintf("%s %d:%d %s %s %s\n", f.Name, l.Number, l.Column(), l.Code, n[0].Kind.Name, n[0].Why)
		}
	}
	want := `F 13:5 go func() { goroutine the closure moves to the heap
(*T).Get 20:7 func (t *T[K, V]) Get() V { return t.v } moved-to-heap the variable t moves to the heap
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if v.Stage = verdict.StageBuild; len(Functions(v, files)) != 0 {
		t.Error("what does not build has lines that allocate")
	}
}

func TestKinds(t *testing.T) {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, k := range Kinds() {
		if ids[k.ID] || names[k.Name] || k.Title == "" || k.Help == "" || k.Group == "" {
			t.Errorf("%+v", k)
		}
		ids[k.ID], names[k.Name] = true, true
	}
	for _, c := range clauses {
		if !names[c.kind] {
			t.Errorf("no kind %s", c.kind)
		}
	}
	for _, c := range []struct{ message, code, kind string }{
		{"&bytes.Buffer{...} escapes to heap", "", "escapes-to-heap"},
		{"make([]byte, n) escapes to heap", "", "escapes-to-heap"},
		{"new(T) escapes to heap", "", "escapes-to-heap"},
		{"moved to heap: x", "", "moved-to-heap"},
		{"x escapes to heap", "", "interface-boxing"},
		{"T(x) escapes to heap", "", "interface-boxing"},
		{"func literal escapes to heap", "f(func() {", "closure"},
		{"func literal escapes to heap", "go func() {", "goroutine"},
		{"append escapes to heap", "", "append-grew"},
		{"... argument escapes to heap", "", "variadic"},
		{`a + "b" escapes to heap`, "", "string-concatenation"},
		{"string(b) escapes to heap", "", "conversion"},
		{"([]byte)(s) escapes to heap", "", "conversion"},
	} {
		why := escape.Why(escape.Diagnostic{Kind: escape.Escape, Message: c.message})
		if strings.HasPrefix(c.message, "moved") {
			why = escape.Why(escape.Diagnostic{Kind: escape.Moved, Message: c.message})
		}
		a := verdict.Allocation{Code: c.code, Reasons: []verdict.Reason{{Message: c.message, Why: why}}}
		if got := KindOf(a).Name; got != c.kind {
			t.Errorf("%s (%s): got %s, want %s", c.message, why, got, c.kind)
		}
	}
	for why, kind := range map[string]string{
		"allocated inside strings.Repeat, which is called here":                                                  "callee",
		"does not escape, yet allocates: its size is known only at run time, and 64 bytes is over the 32 that …": "size-at-run-time",
		"append grew the slice: its capacity was used up":                                                        "append-grew",
		"not announced by the compiler: storing into a map may make it grow":                                     "map-grew",
		"not announced by the compiler: adding to a string makes a new one":                                      "string-concatenation",
		"not announced by the compiler: the conversion copies; append grew the slice":                            "conversion",
		"not announced by the compiler: the value is boxed on the heap, to fit in an interface":                  "interface-boxing",
		"starting a goroutine allocates what it is called with":                                                  "goroutine",
		"not announced by the compiler: allocated by the runtime for this line":                                  "runtime",
		"": "runtime",
	} {
		if got := KindOf(verdict.Allocation{Why: why}).Name; got != kind {
			t.Errorf("%s: got %s, want %s", why, got, kind)
		}
	}
}

// TestCauses: every cause at run time that package verdict has words for is of a kind of its own.
func TestCauses(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "verdict", "cause.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		// Clauses are those of many words; one says that nothing is known, and "%d bytes is over …" ends others.
		if err != nil || len(strings.Fields(text)) < 4 || strings.HasSuffix(text, ": ") || strings.HasPrefix(text, "%d bytes is over") {
			return true
		}
		found++
		if kind := KindOf(verdict.Allocation{Why: text}).Name; (kind == unstated) != strings.Contains(text, "allocated by the runtime for this line") {
			t.Errorf("%q is of kind %s", text, kind)
		}
		return true
	})
	if found < 10 {
		t.Errorf("only %d clauses were found", found)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"üüü", 3, "üüü"}, {"üüüü", 3, "üü…"}} {
		if got := Shorten(c.text, c.most); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
