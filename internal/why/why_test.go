package why

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

func TestPerOperation(t *testing.T) {
	var none recording
	line := func(n int, objects, tiny float64) profile.Line {
		return profile.Line{File: "a.go", Line: n, Objects: objects, Bytes: objects * 16, Tiny: tiny}
	}
	for _, test := range []struct {
		name   string
		allocs float64 // as the benchmark counts them
		lines  []profile.Line
		rest   recording
		line3  int // what may make tiny objects on line 3
		want   []float64
		shared []bool
	}{
		{"no tiny objects", 2, []profile.Line{line(1, 1000, 0), line(2, 1000, 0)}, none, 1, []float64{1, 1},
			[]bool{false, false}},
		{"a third recorded", 1, []profile.Line{line(1, 334, 334)}, none, 0, []float64{1}, []bool{false}},
		{"a third recorded, or two lines in step", 2, []profile.Line{line(1, 1000, 1000)}, none, 1, []float64{2},
			[]bool{true}},
		{"a third beside another line", 2, []profile.Line{line(1, 334, 334), line(2, 1000, 0)}, none, 0, []float64{1, 1},
			[]bool{false, false}},
		{"two lines share", 3, []profile.Line{line(1, 250, 250), line(2, 750, 750)}, none, 0, []float64{0.75, 2.25},
			[]bool{true, true}},
		{"whole blocks", 2, []profile.Line{line(1, 1000, 1000), line(2, 1000, 1000)}, none, 1, []float64{1, 1},
			[]bool{false, false}},
		{"counted elsewhere", 5, []profile.Line{line(1, 1000, 0)}, none, 0, []float64{1}, []bool{false}},
		{"a line fell out, and chance is on one line", 1, []profile.Line{line(1, 1000, 0), line(2, 50, 0)}, none, 0,
			[]float64{1}, []bool{false}},
		{"a line fell out, and chance is on two lines", 1.2, []profile.Line{line(1, 900, 0), line(2, 450, 0)}, none, 0,
			[]float64{0.8, 0.4}, []bool{false, false}},
		{"nothing but chance", 0, []profile.Line{line(1, 900, 0), line(2, 450, 0)}, none, 0, nil, nil},
		{"nothing", 0, nil, none, 1, nil, nil},
		{"goroutines of other packages", 31, []profile.Line{line(1, 1000, 1000)}, recording{objects: 30_000}, 0,
			[]float64{1}, []bool{false}},
		{"goroutines of other packages, with tiny objects", 4, []profile.Line{line(1, 500, 500)},
			recording{objects: 2500, tiny: 500}, 0, []float64{1}, []bool{true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tinyAllocSites := map[sourceLine]int{{"a.go", 1}: 1, {"a.go", 2}: 1}
			if test.line3 > 0 {
				tinyAllocSites[sourceLine{"a.go", 3}] = test.line3
			}
			if len(test.lines) < 2 {
				delete(tinyAllocSites, sourceLine{"a.go", 2})
			}
			test.rest.operations = 1000
			got := perOperation(wire.Benchmark{N: 5000, AllocsPerOp: test.allocs}, test.rest, test.lines,
				func() bool { return otherLinesMayAllocate(tinyAllocSites, test.lines) })
			if len(got) != len(test.want) {
				t.Fatalf("%d lines, want %d", len(got), len(test.want))
			}
			for i, a := range got {
				if math.Abs(a.AllocsPerOp-test.want[i]) > 1e-9 || a.Shared != test.shared[i] || a.Reasons == nil {
					t.Errorf("line %d: %v allocs/op, shared %v, want %v, %v", a.Line, a.AllocsPerOp, a.Shared,
						test.want[i], test.shared[i])
				}
			}
		})
	}
}

// TestBytesOfTinyObjects: if tiny objects are recorded apart, each line has the bytes of its own and an equal part of
// what their blocks have left. Objects of 16 bytes, and those with pointers, are in no such block.
func TestBytesOfTinyObjects(t *testing.T) {
	stack := func(line int, size int64) wire.Stack {
		return wire.Stack{Objects: 1000, Size: size, Frames: []wire.Frame{
			{Func: profile.NewObject, File: "runtime/malloc.go", Line: 1}, {Func: "m.f", File: "m/a.go", Line: line}}}
	}
	b := wire.Benchmark{N: 5000, AllocsPerOp: 4, BytesPerOp: 40, Profiled: 1000, Apart: true,
		Stacks: []wire.Stack{stack(1, 8), stack(2, 4), stack(3, 16), stack(4, 8)}}
	pointer := escape.Diagnostic{File: "a.go", Line: 4, Kind: escape.Escape, Message: "&T{...} escapes to heap"}
	r := newReport(&Package{ImportPath: "m", Files: map[string][]byte{"a.go": []byte("package m\n")},
		Diagnostics: []escape.Diagnostic{pointer},
		ValueOf:     func(escape.Diagnostic) (escape.Value, bool) { return escape.Value{Size: 8, Pointers: true}, true },
	})
	for i, a := range r.count(b) {
		if want := []float64{10, 6, 16, 8}[i]; a.AllocsPerOp != 1 || a.BytesPerOp != want {
			t.Errorf("line %d: %v allocs/op and %v B/op, want 1 and %v", a.Line, a.AllocsPerOp, a.BytesPerOp, want)
		}
	}
}

// TestAtRunTime tests causes that a program does not show every time it runs.
func TestAtRunTime(t *testing.T) {
	for _, test := range []struct {
		code, cause, said string
		kind              Kind
		want              string
	}{
		{"go f(x)", profile.NewObject, "", Goroutine,
			"starting a goroutine allocates a closure with the call's arguments"},
		{"x := T{}", profile.NewObject, "", Unexplained, unknownReason},
		{"f()", "", "", Unexplained, unknownReason},
		{"b = append(b, x)", "runtime.growsliceBufNoAlias", "", AppendGrew,
			"append grew the slice: its capacity was used up"},
		{"b := make([]T, n)", "runtime.makeslice", "", Unexplained, unknownReason},
		{"s := string(b)", "runtime.slicebytetostring", "", Conversion,
			"not announced by the compiler: the conversion copies"},
		// A diagnostic about another expression on the line explains nothing.
		{"s := f(string(b), func() {})", "runtime.slicebytetostring", "func literal does not escape", Conversion,
			"not announced by the compiler: the conversion copies"},
		{"s += x", "runtime.concatstring2", "", StringConcatenation,
			"not announced by the compiler: adding to a string makes a new one"},
		{"f(x)", "runtime.convT64", "", InterfaceBoxing,
			"not announced by the compiler: the value is boxed on the heap, to fit in an interface"},
		{"defer f()", "runtime.deferproc", "", DeferInLoop,
			"not announced by the compiler: a deferred call in a loop needs a record for each iteration"},
		{"switch x.(type) {", "runtime.interfaceSwitch", "", TypeCache,
			"not announced by the compiler: the runtime sometimes caches the type that this assertion or switch met"},
	} {
		escapes := []escape.Diagnostic{{File: "x.go", Line: 3, Kind: escape.Stays, Message: test.said}}
		a := &line{Allocation: Allocation{File: "x.go", Line: 3, Code: test.code},
			parts: []profile.Part{{Causes: []profile.Cause{{Func: test.cause, Objects: 1, Bytes: 64}}}}}
		newReport(&Package{Diagnostics: escapes}).explain(a)
		if a.Why != test.want || a.Kind != test.kind {
			t.Errorf("%s by %q: %s, %q, want %s, %q", test.code, test.cause, a.Kind, a.Why, test.kind, test.want)
		}
	}
	two := []profile.Cause{{Func: "runtime.growslice", Objects: 2}, {Func: "runtime.growsliceBuf", Objects: 1},
		{Func: "runtime.convTstring", Objects: 1}}
	a := &line{parts: []profile.Part{{Causes: two}}}
	newReport(&Package{}).explain(a)
	if a.Kind != AppendGrew || strings.Count(a.Why, ";") != 1 || !strings.HasPrefix(a.Why, "append grew") {
		t.Errorf("two causes: %s, %q", a.Kind, a.Why)
	}
	a = &line{}
	newReport(&Package{}).explain(a)
	if a.Kind != Unexplained || a.Why != unknownReason {
		t.Errorf("no cause: %s, %q", a.Kind, a.Why)
	}
	for cause, want := range map[string]string{
		profile.NewObject: testReason, "": testReason,
		"runtime.convT64": "the value is boxed on the heap, to fit in an interface",
	} {
		a = &line{Allocation: Allocation{File: "bench_test.go", Line: 3, Code: "x := T{}"},
			parts: []profile.Part{{Causes: []profile.Cause{{Func: cause, Objects: 1, Bytes: 64}}}}}
		newReport(&Package{Exercise: true}).explain(a)
		if a.Why != want {
			t.Errorf("%q in the tests of an exercise: %q, want %q", cause, a.Why, want)
		}
	}
	for _, r := range runtimeAllocators {
		if !slices.Contains(Kinds(), r.kind) {
			t.Errorf("%s: no kind %q", r.functions, r.kind)
		}
	}
}

// TestKinds checks that Kinds lists every constant of the type.
func TestKinds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "why.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []Kind
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Kind" {
			name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared = append(declared, Kind(name))
		}
		return true
	})
	if len(declared) == 0 || !slices.Equal(declared, Kinds()) {
		t.Errorf("declared are %q, listed %q", declared, Kinds())
	}
}

// TestKindOf tests expressions in -m diagnostics whose form tells their kind.
func TestKindOf(t *testing.T) {
	for _, test := range []struct {
		message, code string
		kind          Kind
	}{
		{"&bytes.Buffer{...} escapes to heap", "", EscapesToHeap},
		{"make([]byte, n) escapes to heap", "", EscapesToHeap},
		{"new(T) escapes to heap", "", EscapesToHeap},
		{"moved to heap: x", "", MovedToHeap},
		{"x escapes to heap", "", InterfaceBoxing},
		{"T(x) escapes to heap", "", InterfaceBoxing},
		{"T(3) escapes to heap", "", InterfaceBoxing},
		{"int8(1) escapes to heap", "", EscapesToHeap},
		{"struct {}{} escapes to heap", "", EscapesToHeap},
		{"func literal escapes to heap", "f(func() {", Closure},
		{"func literal escapes to heap", "go func() {", Goroutine},
		{"append escapes to heap", "", AppendGrew},
		{"... argument escapes to heap", "", Variadic},
		{"a + \"b\" escapes to heap", "", StringConcatenation},
		{"string(b) escapes to heap", "", Conversion},
		{"([]byte)(s) escapes to heap", "", Conversion},
		// The name of a type must not be mistaken for a kind of expression.
		{"new(string) escapes to heap", "", EscapesToHeap},
		{"&closure{...} escapes to heap", "", EscapesToHeap},
	} {
		d := escape.Diagnostic{Kind: escape.Escape, Message: test.message}
		if strings.HasPrefix(test.message, "moved") {
			d.Kind = escape.Moved
		}
		if r := NewReason(d, test.code); r.Kind != test.kind {
			t.Errorf("%s (%s): %s, want %s", test.message, r.Why, r.Kind, test.kind)
		}
	}
}
