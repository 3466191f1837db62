package verdict

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		value               float64
		count, bytes, nanos string
	}{
		{0, "0", "0", "0"},
		{2, "2", "2", "2.00"},
		{0.1, "0.1", "0.1", "0.1"},
		{0.004, "0.004", "0.004", "0.004"},
		{0.00004, "0.00004", "0.00004", "0.00004"},
		{0.00025, "0.0003", "0.0003", "0.00025"},
		{0.34567, "0.35", "0.35", "0.346"},
		{0.999, "0.999", "0.999", "0.999"},
		{0.9996, "0.9996", "0.9996", "1.00"},
		{1.04, "1.04", "1", "1.04"},
		{1.5, "1.5", "2", "1.50"},
		{1.999, "1.999", "2", "2.00"},
		{5.344, "5.3", "5", "5.34"},
		{17.42, "17.4", "17", "17.4"},
		{9.996, "9.996", "10", "10.0"},
		{99.96, "99.96", "100", "100"},
		{1080.5, "1080.5", "1081", "1081"},
		{-0.001, "-0.001", "-0.001", "-0.001"},
	} {
		if count, bytes, nanos := FormatCount(test.value), FormatBytes(test.value),
			FormatTime(test.value); count != test.count || bytes != test.bytes || nanos != test.nanos {
			t.Errorf("%v: %s allocs/op, %s B/op, %s ns/op; want %s, %s, %s", test.value, count, bytes,
				nanos, test.count,
				test.bytes, test.nanos)
		}
	}
}

var update = flag.Bool("update", false, "rewrite testdata/figures.json")

// TestFigures writes figures with their texts for the tests of the pages, which format figures by the same rules: see
// web/test/unit/words.test.ts.
func TestFigures(t *testing.T) {
	type figure struct {
		Value  float64 `json:"value"`
		Allocs string  `json:"allocs"`
		Bytes  string  `json:"bytes"`
	}
	var figures []figure
	for _, value := range []float64{
		0, 0.000002, 0.00004, 0.00005, 0.00025, 0.001, 0.004, 0.0123, 0.048, 0.05, 0.094, 0.095, 0.1, 0.34567, 0.47,
		0.5, 0.94, 0.95, 0.96, 0.999, 0.9996, 0.99999, 1, 1.0000001, 1.0003, 1.004, 1.04, 1.05, 1.1, 1.25, 1.45, 1.5, 1.95,
		1.96, 1.999, 2, 2.5, 3.05, 5.3, 5.34, 5.344, 9.95, 9.996, 12.5, 17.42, 99.96, 100, 112, 128.5, 999.5, 1023.999,
		1080.5, 123456.7, 1e6, 1234567.25, 1e9,
	} {
		figures = append(figures, figure{value, FormatCount(value), FormatBytes(value)})
	}
	text, err := json.MarshalIndent(figures, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	const name = "testdata/figures.json"
	if *update {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(text, want) {
		t.Errorf("%v: the texts of figures changed: run \"go test ./internal/verdict -run TestFigures -update\", "+
			"and change web/src/verdict/words.ts too", err)
	}
}

// TestFormatAllocs checks that the unit is singular exactly when the rounded figure is 1.
func TestFormatAllocs(t *testing.T) {
	for perOp, want := range map[float64]string{
		0: "0 allocs/op", 1: "1 alloc/op", 2: "2 allocs/op", 0.1: "0.1 allocs/op", 1.04: "1.04 allocs/op",
		1.0000001: "1 alloc/op",
	} {
		if got := FormatAllocs(perOp); got != want {
			t.Errorf("%v: %s, want %s", perOp, got, want)
		}
	}
}

// FuzzFormatTime checks that the formatted time is within half a percent of the measured one, and is 0 only for 0.
func FuzzFormatTime(f *testing.F) {
	for _, ns := range []float64{0, 0.004, 0.0049999, 0.9994, 0.99951, 1, 9.9949, 9.995, 99.949, 99.95, 1e-300,
		5e-324, 1e18, 1.7e308} {
		f.Add(ns)
	}
	f.Fuzz(func(t *testing.T, ns float64) {
		text := FormatTime(ns)
		read, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%v: %q", ns, text)
		}
		if math.IsNaN(ns) || math.IsInf(ns, 0) {
			return
		}
		if most := 0.00501*math.Abs(ns) + math.SmallestNonzeroFloat64; math.Abs(read-ns) > most ||
			(read == 0) != (ns == 0) {
			t.Errorf("%v is shown as %s", ns, text)
		}
	})
}

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
			got := perOperation(Benchmark{N: 5000, AllocsPerOp: test.allocs}, test.rest, test.lines,
				otherLinesMayAllocate(tinyAllocSites, test.lines))
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
	m := wire.Benchmark{Profiled: 1000, Apart: true, Stacks: []wire.Stack{stack(1, 8), stack(2, 4), stack(3, 16),
		stack(4, 8)}}
	lines := profile.Fold(m.Stacks, "m", func(string, int) (string, bool) { return "f", true })
	pointer := escape.Diagnostic{File: "a.go", Line: 4, Kind: escape.Escape, Message: "&T{...} escapes to heap"}
	r := newReport([]escape.Diagnostic{pointer}, func(escape.Diagnostic) (escape.Value, bool) {
		return escape.Value{Size: 8, Pointers: true}, true
	})
	recorded := newRecording(m, lines)
	for i := range lines {
		recorded.small -= r.countSmall(&lines[i])
	}
	b := Benchmark{N: 5000, AllocsPerOp: 4, BytesPerOp: 40}
	for i, a := range perOperation(b, recorded, lines, false) {
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
		{"x := T{}", profile.NewObject, "", Unexplained, unexplained},
		{"f()", "", "", Unexplained, unexplained},
		{"b = append(b, x)", "runtime.growsliceBufNoAlias", "", AppendGrew,
			"append grew the slice: its capacity was used up"},
		{"b := make([]T, n)", "runtime.makeslice", "", Unexplained, unexplained},
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
		a := &Allocation{File: "x.go", Line: 3, Code: test.code,
			parts: []profile.Part{{Causes: []profile.Cause{{Func: test.cause, Objects: 1, Bytes: 64}}}}}
		newReport(escapes, nil).explain(a)
		if a.Why != test.want || a.Kind != test.kind {
			t.Errorf("%s by %q: %s, %q, want %s, %q", test.code, test.cause, a.Kind, a.Why, test.kind, test.want)
		}
	}
	two := []profile.Cause{{Func: "runtime.growslice", Objects: 2}, {Func: "runtime.growsliceBuf", Objects: 1},
		{Func: "runtime.convTstring", Objects: 1}}
	a := &Allocation{parts: []profile.Part{{Causes: two}}}
	newReport(nil, nil).explain(a)
	if a.Kind != AppendGrew || strings.Count(a.Why, ";") != 1 || !strings.HasPrefix(a.Why, "append grew") {
		t.Errorf("two causes: %s, %q", a.Kind, a.Why)
	}
	a = &Allocation{}
	newReport(nil, nil).explain(a)
	if a.Kind != Unexplained || a.Why != unexplained {
		t.Errorf("no cause: %s, %q", a.Kind, a.Why)
	}
	for _, r := range runtimeAllocators {
		if !slices.Contains(Kinds(), r.kind) {
			t.Errorf("%s: no kind %q", r.functions, r.kind)
		}
	}
}

// TestKinds checks that Kinds lists every constant of the type.
func TestKinds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kind.go", nil, 0)
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

// FuzzReport checks that whatever a report contains, the verdict has either all benchmarks or a reason.
func FuzzReport(f *testing.F) {
	const whole = "tests 0\nbenchmark \"BenchmarkX\" 1000 1 16 1 100\nstack 100 16\nframe \"runtime.newobject\" " +
		"\"runtime/malloc.go\" 1\n" +
		"frame \"onthestack/x.F\" \"onthestack/x/x.go\" 3\ndone\n"
	for _, seed := range []string{whole, whole[:50], "", "tests 1\ndone\n", "tests 0\nfailed \"BenchmarkX\"\ndone\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := wire.Parse(text)
		if err != nil {
			return
		}
		v := &Verdict{}
		p := &Package{ImportPath: "onthestack/x", Files: map[string][]byte{"x.go": nil},
			benchmarks: []target{{name: "BenchmarkX"}}}
		if problem := v.measure(p, r, &execution.TestRun{}); problem == "" && (len(v.Benchmarks) != 1 || !r.Done) {
			t.Errorf("measured nothing, and says nothing: %+v", v)
		}
		v.explain(p)
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	})
}

func TestBuildErrors(t *testing.T) {
	const printed = `# onthestack/internal/harness/testmain
<autogenerated>:1: parameter go.shape.~p0 leaks to {heap} for f.Align with derefs=0:
<autogenerated>:1:   flow: {heap} ← go.shape.~p0:
# onthestack/exercises/exercise1
exercises/exercise1/stream.go:7:2: can inline Replace with cost 3 as: func() { }
exercises/exercise1/stream.go:9:4: undefined: x
exercises/exercise1/stream.go:9:4: undefined: x
exercises/exercise1/stream.go:10:4: not enough arguments
	have (int)
exercises/exercise1/zz_checkalloc_test.go:9:1: undefined: BenchmarkX
FAIL	onthestack/exercises/exercise1 [build failed]
go: something without a place
`
	diagnostics, rest, err := escape.Parse(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(buildErrors("stream.go", diagnostics, rest, execution.Stop{Kind: execution.BuildTime,
		Time: 3 * time.Minute}))
	const want = `[{"file":"stream.go","line":0,"col":0,"message":"the build took longer than 3m0s and was stopped"},` +
		`{"file":"stream.go","line":9,"col":4,"message":"undefined: x"},` +
		`{"file":"stream.go","line":10,"col":4,"message":"not enough arguments\n\thave (int)"},` +
		`{"file":"stream.go","line":0,"col":0,"message":"undefined: BenchmarkX"},` +
		`{"file":"stream.go","line":0,"col":0,"message":"go: something without a place"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if p := buildErrors("stream.go", nil, nil, execution.Stop{}); len(p) != 1 || p[0].Message == "" {
		t.Errorf("nothing printed: %v", p)
	}
	if harness.MainFile != "zz_checkalloc_test.go" {
		t.Errorf("the harness's file is %s by now", harness.MainFile)
	}
}

func TestShorten(t *testing.T) {
	long := shorten([]byte(strings.Repeat("äöü", maxOutput)))
	if len(long) > maxOutput+100 || !strings.Contains(long, "shortened") || strings.ToValidUTF8(long, "?") != long {
		t.Errorf("%d bytes", len(long))
	}
	if got := shorten([]byte("a\xffb")); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}

// TestHarnessFrames checks that the harness's frames are removed from a traceback. When a WebAssembly program
// deadlocks, the runtime prints all goroutines, the harness's among them.
func TestHarnessFrames(t *testing.T) {
	const printed = "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n" +
		"testing.(*M).Run(0x3466e0)\n\ttesting/testing.go:2440 +0x55\n" +
		"onthestack/exercises/exercise1.TestMain(0x1)\n\tonthestack/exercises/exercise1/zz_checkalloc_test.go:20 " +
		"+0x3\n" +
		"main.main()\n\t_testmain.go:49 +0x4"
	got := tests([]string{"TestF"}, wire.Report{}, &execution.TestRun{Exit: 2, Output: []byte(printed)})
	want := "the program ended before its tests did (exit code 2)\n" +
		"fatal error: all goroutines are asleep - deadlock!\n\n" +
		"goroutine 1 [chan receive]:\ntesting.(*M).Run(0x3466e0)\n\ttesting/testing.go:2440 +0x55\nmain.main()\n" +
		"\t_testmain.go:49 +0x4"
	if got.Output != want || got.Failed != 1 || !got.Unfinished || !got.Incomplete {
		t.Errorf("%d failed, unfinished %t, incomplete %t, output %q", got.Failed, got.Unfinished, got.Incomplete,
			got.Output)
	}
	failed := &execution.TestRun{Exit: 2, Output: []byte("--- FAIL: TestF (0.00s)\npanic: x\n")}
	got = tests([]string{"TestF", "TestG"}, wire.Report{}, failed)
	if got.Unfinished || !got.Incomplete || got.Failed != 2 {
		t.Errorf("after a failed test: %+v", got)
	}
	ended := wire.Report{Tested: true, Code: 1}
	if got := tests([]string{"TestF", "TestG"}, ended, failed); got.Incomplete || got.Failed != 1 {
		t.Errorf("with all tests ended: %+v", got)
	}
}
