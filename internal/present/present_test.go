package present

import (
	"fmt"
	"slices"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
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
		{source, "[{var table 5 9 7} {F 11 16 12} {type T 18 18 18} {(*T).Get 20 20 20} " +
			"{T.Put 22 24 22} {last 25 25 25}]"},
		// Of two on one line the first has it.
		{"package p\nfunc a() {}; func b() {\n}\n", "[{a 2 2 2} {b 3 3 2}]"},
		{"package p\nfunc a() {\n\tx := \n}\n\nfunc b() {}\n}}}", "[{a 2 7 2}]"},
		{"//line other.go:100\npackage p\n//line other.go:200\nfunc a() {}\n", "[{a 3 4 4}]"},
		{"no Go at all {{{", "[]"},
	} {
		got := []string{}
		for _, f := range declarations("p.go", []byte(c.text)) {
			got = append(got, fmt.Sprint("{", f.Name, " ", f.First, " ", f.Last, " ", f.Begin, "}"))
		}
		if got := fmt.Sprint(got); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func files(string) []byte { return []byte(source) }

// TestFunctions: lines of all benchmarks are joined, divided among declarations, and ordered by what one benchmark
// counts.
func TestFunctions(t *testing.T) {
	at := func(benchmark string, line int, fn string, allocs, bytes float64, why string) verdict.Allocation {
		return verdict.Allocation{Benchmark: benchmark, File: "p.go", Line: line, Func: fn, AllocsPerOp: allocs,
			BytesPerOp: bytes, Why: why}
	}
	v := &verdict.Verdict{
		Benchmarks: []verdict.Benchmark{{Name: "A", AllocsPerOp: 10, BytesPerOp: 100},
			{Name: "B", AllocsPerOp: 4, BytesPerOp: 64}},
		Allocations: []verdict.Allocation{
			at("A", 20, "(*T[...]).Get", 3, 48, "x"), at("A", 14, "F.func1", 2, 16, "x"), at("A", 13, "F", 1, 8, "x"),
			at("B", 14, "F.func1", 2, 32, "x"), at("B", 14, "F", 1, 8, "y"), at("B", 8, "init", 3, 40, "x"),
			at("A", 999, "Lost.func2.1", 1, 1, "x"),
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
		{Rule: RuleOf(why.Unexplained), Why: "x", Figures: []Figure{{"A", 2, 16}, {"B", 2, 32}}},
		{Rule: RuleOf(why.Unexplained), Why: "y", Figures: []Figure{{"B", 1, 8}}},
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

// TestAnnounced: if there is no benchmark, lines have the compiler's announcements instead, except announcements of
// constants. If the code does not build, lines have none.
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
			got += fmt.Sprintf("%s %d:%d %s %s %s\n", f.Name, l.Number, l.Column(), l.Code, n[0].Rule.Kind, n[0].Why)
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

// TestRules: every kind has one rule, with the ID that it has always had.
func TestRules(t *testing.T) {
	ids := map[why.Kind]string{
		"escapes-to-heap":      "CA1001",
		"moved-to-heap":        "CA1002",
		"interface-boxing":     "CA1003",
		"closure":              "CA1004",
		"goroutine":            "CA1005",
		"variadic":             "CA1006",
		"append-grew":          "CA1007",
		"map-grew":             "CA1008",
		"size-at-run-time":     "CA1009",
		"string-concatenation": "CA1010",
		"conversion":           "CA1011",
		"defer-in-loop":        "CA1012",
		"callee":               "CA1013",
		"type-cache":           "CA1014",
		"runtime":              "CA1099",
	}
	last := ""
	for _, r := range Rules() {
		if ids[r.Kind] != r.ID {
			t.Errorf("the rule of %s is %s, want %q", r.Kind, r.ID, ids[r.Kind])
		}
		if r.ID <= last || r.Title == "" || r.What == "" || r.Group == "" {
			t.Errorf("%+v", r)
		}
		last = r.ID
	}
	for _, kind := range why.Kinds() {
		if got := RuleOf(kind); got.Kind != kind {
			t.Errorf("%s has the rule of %s: add one of its own, and its ID here", kind, got.Kind)
		}
	}
	if len(Rules()) != len(ids) || len(why.Kinds()) != len(ids) {
		t.Errorf("%d rules and %d kinds, want %d", len(Rules()), len(why.Kinds()), len(ids))
	}
	if got := RuleOf(""); got.ID != "CA1099" {
		t.Errorf("without a kind: %s", got.ID)
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
