package budget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// parsed reads a file that has no mistakes.
func parsed(t *testing.T, file, src string) []Directive {
	t.Helper()
	directives, mistakes := Parse(file, []byte(src))
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	return directives
}

// texts writes findings as the tables do.
func texts(found []Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, fmt.Sprintf("%s %d %s", f.Kind, f.Line, f.Message))
		for _, p := range f.Because {
			all = append(all, fmt.Sprintf("  %s:%d %s", p.File, p.Line, p.Message))
		}
	}
	return all
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCheckBenchmark(t *testing.T) {
	measured := []verdict.Benchmark{
		{Name: "BenchmarkOne", AllocsPerOp: 1, BytesPerOp: 64},
		{Name: "BenchmarkTenth", AllocsPerOp: 100.0 / 1000, BytesPerOp: 0.8},
		{Name: "BenchmarkSub/Large/a", AllocsPerOp: 3, BytesPerOp: 300},
		{Name: "BenchmarkSub/Large/b", AllocsPerOp: 1, BytesPerOp: 100},
		{Name: "BenchmarkSub/Small", AllocsPerOp: 0},
		{Name: "BenchmarkTwice", AllocsPerOp: 0},
		{Name: "BenchmarkTwice (external test)", AllocsPerOp: 1},
	}
	lines := []verdict.Allocation{
		{Benchmark: "BenchmarkSub/Large/a", File: "x.go", Line: 7, AllocsPerOp: 2, BytesPerOp: 16,
			Why: "the closure moves to the heap"},
		{Benchmark: "BenchmarkSub/Large/a", File: "x.go", Line: 9, AllocsPerOp: 1, BytesPerOp: 284,
			Why: "allocated inside f, which is called here"},
		{Benchmark: "BenchmarkSub/Large/b", File: "x.go", Line: 9, AllocsPerOp: 1, BytesPerOp: 100, Why: "w"},
		{Benchmark: "BenchmarkOne", File: "x_test.go", Line: 70, AllocsPerOp: 1, BytesPerOp: 64, Why: "w"},
	}
	const closure, call = "  dir/x.go:7 2 allocs/op, 16 B/op: the closure moves to the heap",
		"  dir/x.go:9 1 alloc/op, 284 B/op: allocated inside f, which is called here"
	for _, test := range []struct {
		directive, function string
		want                []string
	}{
		{"allocs<=1 bytes<=64", "BenchmarkOne", nil},
		{"allocs<=0.99 bytes<=64", "BenchmarkOne", []string{"over 3 BenchmarkOne: 1 alloc/op, budget allocs<=0.99",
			"  dir/x_test.go:70 1 alloc/op, 64 B/op: w"}},
		{"allocs<=0 bytes<=63", "BenchmarkOne",
			[]string{"over 3 BenchmarkOne: 1 alloc/op, budget allocs<=0; 64 B/op, budget bytes<=63",
				"  dir/x_test.go:70 1 alloc/op, 64 B/op: w"}},
		{"allocs<=0.1", "BenchmarkTenth", nil},
		{"bytes<=0", "BenchmarkTenth", []string{"over 3 BenchmarkTenth: 0.8 B/op, budget bytes<=0"}},
		{"allocs<=0.0999", "BenchmarkTenth", []string{"over 3 BenchmarkTenth: 0.1 allocs/op, budget allocs<=0.0999"}},
		{"allocs<=3", "BenchmarkSub", nil},
		{"allocs<=2", "BenchmarkSub", []string{"over 3 BenchmarkSub/Large/a: 3 allocs/op, budget allocs<=2",
			closure, call}},
		{"bytes<=299", "BenchmarkSub", []string{"over 3 BenchmarkSub/Large/a: 300 B/op, budget bytes<=299",
			call, closure}},
		{"allocs<=0", "BenchmarkSub", []string{
			"over 3 BenchmarkSub/Large/a: 3 allocs/op, budget allocs<=0", closure, call,
			"over 3 BenchmarkSub/Large/b: 1 alloc/op, budget allocs<=0", "  dir/x.go:9 1 alloc/op, 100 B/op: w"}},
		{"allocs<=1 bench=Large/b", "BenchmarkSub", nil},
		{"allocs<=0 bench=small|Small", "BenchmarkSub", nil},
		{"allocs<=2 bench=.", "BenchmarkSub", []string{"over 3 BenchmarkSub/Large/a: 3 allocs/op, budget allocs<=2",
			closure,
			call}},
		{"allocs<=9 bench=large", "BenchmarkSub",
			[]string{"unchecked 3 not checked: no sub-benchmark of BenchmarkSub matches bench=large: there are " +
				"BenchmarkSub/Large/a, BenchmarkSub/Large/b, BenchmarkSub/Small"}},
		{"allocs<=9 bench=a", "BenchmarkOne",
			[]string{"unchecked 3 not checked: BenchmarkOne has no sub-benchmarks, but bench=a selects some"}},
		{"allocs<=0", "BenchmarkTwice",
			[]string{"over 3 BenchmarkTwice (external test): 1 alloc/op, budget allocs<=0"}},
		{"allocs<=9", "BenchmarkSu", []string{"unchecked 3 not checked: BenchmarkSu was not measured"}},
	} {
		t.Run(test.function+" "+test.directive, func(t *testing.T) {
			d := parsed(t, "dir/x_test.go", "package x\n\n//checkalloc:"+test.directive+"\nfunc "+test.function+
				"(b *testing.B) {}\n")
			equal(t, texts(Check(d, &verdict.Verdict{Benchmarks: measured, Allocations: lines})), test.want...)
		})
	}
}

// TestCheckStages holds a directive against verdicts on programs that did not come to an end.
func TestCheckStages(t *testing.T) {
	directives := slices.Concat(
		parsed(t, "dir/x_test.go", "package x\n\n//checkalloc:allocs<=1\nfunc BenchmarkX(b *testing.B) {\n}\n\n"+
			"//checkalloc:allocs<=1\nfunc BenchmarkY(b *testing.B) {\n}\n"),
		parsed(t, "dir/x.go", "package x\n\n\nfunc f() {\n\tx := new(int) //checkalloc:noescape\n\t_ = x\n}\n"))
	spoken := []escape.Diagnostic{{File: "x.go", Line: 4, Col: 6, Kind: escape.Inline, Message: "can inline f"}}
	for _, test := range []struct {
		name string
		v    verdict.Verdict
		want []string
	}{
		{"build", verdict.Verdict{Stage: verdict.StageBuild, Errors: []verdict.Problem{{File: "y.go", Line: 3,
			Message: "undefined: z"}, {Message: "too many errors"}}}, []string{
			"unchecked 3 not checked: the package does not build", "  dir/y.go:3 undefined: z", "  :0 too many errors",
			"unchecked 7 not checked: the package does not build",
			"unchecked 5 not checked: the package does not build"}},
		{"panic", verdict.Verdict{Stage: verdict.StageBenchmark, Escapes: spoken,
			Tests: verdict.Tests{Output: "\npanic: no\n\n" + strings.Repeat("goroutine\n", 20)}}, slices.Concat(
			[]string{"unchecked 3 not checked: BenchmarkX was not measured", "  :0 panic: no"},
			slices.Repeat([]string{"  :0 goroutine"}, maxPrinted-1),
			[]string{"unchecked 7 not checked: BenchmarkY was not measured"})},
		{"another broke off", verdict.Verdict{Stage: verdict.StageBenchmark, Escapes: spoken,
			Benchmarks: []verdict.Benchmark{{Name: "BenchmarkX", AllocsPerOp: 1}}},
			[]string{"unchecked 7 not checked: BenchmarkY was not measured"}},
		{"sub-benchmark broke off", verdict.Verdict{Stage: verdict.StageBenchmark, Escapes: spoken,
			Benchmarks: []verdict.Benchmark{{Name: "BenchmarkX/a", AllocsPerOp: 1}, {Name: "BenchmarkY"}}},
			[]string{"unchecked 3 not checked completely: the program ended during or after BenchmarkX"}},
		{"skipped", verdict.Verdict{Escapes: spoken, Benchmarks: []verdict.Benchmark{{Name: "BenchmarkY"}}},
			[]string{"unchecked 3 not checked: BenchmarkX was not measured"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			equal(t, texts(Check(directives, &test.v)), test.want...)
		})
	}
}

func TestCheckLine(t *testing.T) {
	const src = "package x\n\nfunc f() {\n\tbuf := make([]byte, n) //checkalloc:noescape\n}\n"
	inline := escape.Diagnostic{File: "x.go", Line: 3, Col: 6, Kind: escape.Inline, Message: "can inline f"}
	say := func(kind escape.Kind, message string) escape.Diagnostic {
		return escape.Diagnostic{File: "x.go", Line: 4, Col: 9, Kind: kind, Message: message}
	}
	escapes := say(escape.Escape, "make([]byte, n) escapes to heap")
	escapes.Flow = []escape.Step{{File: "x.go", Line: 6, Col: 2, Message: "returned", Text: "from return buf (return)"}}
	other, nextLine, elsewhere := escapes, escapes, escapes
	other.Col, nextLine.Line, elsewhere.File = 2, 5, "../y/x.go"
	for _, test := range []struct {
		name    string
		escapes []escape.Diagnostic
		want    []string
	}{
		{"nothing is said of the line", []escape.Diagnostic{inline}, nil},
		{"stays", []escape.Diagnostic{inline, say(escape.Stays, "make([]byte, n) does not escape")}, nil},
		{"leaks", []escape.Diagnostic{inline, say(escape.Leak, "leaking param: p")}, nil},
		{"constants", []escape.Diagnostic{inline, say(escape.Escape, `"text" escapes to heap`),
			say(escape.Escape, "3.5 escapes to heap")}, nil},
		{"another line", []escape.Diagnostic{nextLine}, nil},
		{"escapes", []escape.Diagnostic{inline, escapes}, []string{
			"escapes 4 the slice's array moves to the heap (make([]byte, n) escapes to heap)",
			"  a/b/x.go:6 returned"}},
		{"moved", []escape.Diagnostic{say(escape.Moved, "moved to heap: buf")}, []string{
			"escapes 4 the variable buf moves to the heap (moved to heap: buf)"}},
		{"twice the same", []escape.Diagnostic{escapes, escapes, other}, []string{
			"escapes 4 the slice's array moves to the heap (make([]byte, n) escapes to heap)", "  a/b/x.go:6 returned",
			"escapes 4 the slice's array moves to the heap (make([]byte, n) escapes to heap)",
			"  a/b/x.go:6 returned"}},
		{"another file", []escape.Diagnostic{inline, elsewhere}, nil},
		{"never compiled", []escape.Diagnostic{{File: "x.go", Line: 9, Kind: escape.Inline}, {File: "y.go", Line: 4}},
			[]string{
				"unchecked 4 not checked: the compiler reports nothing on f: a generic function is compiled only " +
					"where its package uses it, and one named _ never"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			equal(t, texts(Check(parsed(t, "a/b/x.go", src), &verdict.Verdict{Escapes: test.escapes})), test.want...)
		})
	}
	t.Run("yet allocates", func(t *testing.T) {
		v := &verdict.Verdict{Escapes: []escape.Diagnostic{inline}, Allocations: []verdict.Allocation{
			{Benchmark: "BenchmarkX", File: "x.go", Line: 4, AllocsPerOp: 1, BytesPerOp: 64,
				Why: "does not escape, yet allocates"},
			{Benchmark: "BenchmarkX", File: "x.go", Line: 5, AllocsPerOp: 1}, {Benchmark: "BenchmarkX", File: "y.go",
				Line: 4, AllocsPerOp: 1}}}
		found := Check(parsed(t, "x.go", src), v)
		equal(t, texts(found), "note 4 nothing on this line escapes, yet it allocates",
			"  x.go:4 1 alloc/op, 64 B/op in BenchmarkX: does not escape, yet allocates")
		if found[0].Fails() {
			t.Error("a note fails")
		}
		v.Escapes = append(v.Escapes, escapes)
		if found := Check(parsed(t, "x.go", src), v); len(found) != 1 || found[0].Kind != Escapes {
			t.Errorf("what escapes may allocate: %v", texts(found))
		}
	})
}

func TestBenchmarks(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"package x\nvar x = 1 //checkalloc:noescape\n", ""},
		{"package x\n//checkalloc:allocs<=1\nfunc BenchmarkX(b *testing.B) {}\n", "^(BenchmarkX)$"},
		{"package x\n//checkalloc:allocs<=1\n//checkalloc:bytes<=1 bench=A\nfunc BenchmarkX(b *testing.B) {}\n" +
			"//checkalloc:allocs<=1\nfunc BenchmarkA(b *testing.B) {}\n", "^(BenchmarkA|BenchmarkX)$"},
	} {
		file := "x_test.go"
		if test.want == "" {
			file = "x.go"
		}
		if got := Benchmarks(parsed(t, file, test.src)); got != test.want {
			t.Errorf("%s: %q, want %q", test.src, got, test.want)
		}
	}
}

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a/b", true},
		{".*", "", false}, {"a", "xax", true}, {"^a$", "xax", false}, {"^a$", "a/b", true},
		{"a/b", "a", false}, {"a/b", "a/b/c", true}, {"a/^c", "a/b/c", false},
		{"a|b/c", "a/x", true}, {"a|b/c", "b/x", false}, {"a|b/c", "b/c", true}, {"(a|b)/c", "b/c", true},
		{"(a|b)/c", "a", false},
		{"[a/]", "a", true}, {"[/|]", "a", false}, {`a\/b`, "a", false}, {`a\|b`, "b", false}, {"n=10", "n=100", true},
		{"n=10$", "n=100", false},
	} {
		var p pattern
		if test.pattern != "" {
			var err error
			if p, err = compile(test.pattern); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.matches(test.name); got != test.want {
			t.Errorf("%q matches %q: %v", test.pattern, test.name, got)
		}
	}
}

func TestReport(t *testing.T) {
	directives := slices.Concat(parsed(t, "b_test.go", `package x
//checkalloc:allocs<=1
//checkalloc:bytes<=1
func BenchmarkX(b *testing.B) {}
`), parsed(t, "c.go", `package x
func f() {
	x() //checkalloc:noescape
	x() //checkalloc:noescape
	x() //checkalloc:noescape
}
`))
	_, mistakes := Parse("a.go", []byte("package x\nvar x = 1 //checkalloc:frob\n"))
	f := func(i int, kind Kind) Finding { return directives[i].finding(kind, "m") }
	r := NewReport(directives, mistakes, []Finding{f(4, Note), f(3, Unchecked), f(0, Unchecked), f(0, Over),
		f(2, Escapes), f(2, Escapes)})
	if r.Held != 2 || r.Broken != 2 || r.Errors != 2 || r.Holds() {
		t.Errorf("%d held, %d broken, %d errors, holds %v; want 2 of each", r.Held, r.Broken, r.Errors, r.Holds())
	}
	var order []string
	for _, f := range r.Findings {
		order = append(order, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Kind))
	}
	equal(t, order, "a.go:2 malformed", "b_test.go:2 unchecked", "b_test.go:2 over", "c.go:3 escapes", "c.go:3 escapes",
		"c.go:4 unchecked", "c.go:5 note")
	if r := NewReport(directives, nil, []Finding{f(4, Note)}); !r.Holds() || r.Held != 5 {
		t.Errorf("a note breaks: %+v", r)
	}
	if r := NewReport(nil, mistakes, nil); r.Holds() {
		t.Error("a mistake holds")
	}
}
