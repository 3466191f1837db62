package profile

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/harness/wire"
)

const importPath = "onthestack/exercises/x"

// own has a function F on lines 1 to 5 of x.go, and none after it.
func own(file string, line int) (string, bool) {
	if line > 5 {
		return "", file == "x.go"
	}
	return "F", file == "x.go"
}

// stack is a stack with the given frames, innermost first: "function" or "function file:line" with line a digit, in
// x.go of the package where there is no file.
func stack(objects, size int64, frames ...string) wire.Stack {
	s := wire.Stack{Objects: objects, Size: size}
	for _, text := range frames {
		f := wire.Frame{Func: text, File: "lib/lib.go", Line: 1}
		if function, place, ok := strings.Cut(text, " "); ok {
			file, line, _ := strings.Cut(place, ":")
			f = wire.Frame{Func: function, File: importPath + "/" + file, Line: int(line[0] - '0')}
		}
		s.Frames = append(s.Frames, f)
	}
	return s
}

func TestFold(t *testing.T) {
	const f, test = importPath + ".F x.go:3", importPath + "_test.BenchmarkF x_test.go:9"
	called := []string{"x_test.go:9"}
	for _, c := range []struct {
		name   string
		stacks []wire.Stack
		want   []Line
	}{
		{"nothing", nil, []Line{}},
		{
			"the line itself",
			[]wire.Stack{stack(300, 64, "runtime.mallocgc", "runtime.makeslice", f, test)},
			[]Line{{Callers: called, File: "x.go", Line: 3, Func: "F", Objects: 300, Bytes: 300 * 64,
				Causes: []Cause{{"runtime.makeslice", 300, 300 * 64}}}},
		},
		{
			"blocks of tiny objects", // beside others on the line
			[]wire.Stack{stack(100, 16, "runtime.mallocgc", "runtime.newobject", f, test),
				stack(300, 32, "runtime.growslice", f, test)},
			[]Line{{Callers: called, File: "x.go", Line: 3, Func: "F", Objects: 400, Bytes: 100*16 + 300*32, Tiny: 100,
				Causes: []Cause{{"runtime.growslice", 300, 300 * 32}, {"runtime.newobject", 100, 1600}}}},
		},
		{
			"callees", // the callees of the path with most objects, which two stacks have
			[]wire.Stack{
				stack(2, 64, "runtime.growslice", "bytes.growSlice", "bytes.(*Buffer).grow", f, test),
				stack(2, 128, "runtime.growslice", "bytes.growSlice", "bytes.(*Buffer).grow", f, test),
				stack(3, 48, "runtime.newobject", "bytes.NewBuffer", f, test),
			},
			[]Line{{Callers: called, File: "x.go", Line: 3, Func: "F", Objects: 7, Bytes: 128 + 256 + 144,
				Callees: []string{"bytes.(*Buffer).grow", "bytes.growSlice"},
				Causes:  []Cause{{"runtime.growslice", 4, 384}, {"runtime.newobject", 3, 144}}}},
		},
		{
			"a map", // its frames are the runtime's too
			[]wire.Stack{stack(1, 48, "runtime.newobject", "internal/runtime/maps.newTable",
				"internal/runtime/maps.(*Map).growToTable", "runtime.mapassign_fast64", f)},
			[]Line{{File: "x.go", Line: 3, Func: "F", Objects: 1, Bytes: 48,
				Causes: []Cause{{"runtime.mapassign_fast64", 1, 48}}}},
		},
		{
			"objects of known size since Go 1.27", // as a profile begins while the garbage collector marks, and else
			[]wire.Stack{
				stack(1, 16, "runtime.mallocgcTinySC2", f, test),
				stack(2, 48, "runtime.mallocgcSmallNoScanSC5", f, test),
				stack(4, 64, "runtime.mallocgcSmallScanNoHeaderSC6", f, test),
				stack(8, 96, "runtime.mallocgc", "runtime.newobject", f, test),
				stack(16, 80, f, test),
			},
			[]Line{{Callers: called, File: "x.go", Line: 3, Func: "F", Objects: 31,
				Bytes: 16 + 2*48 + 4*64 + 8*96 + 16*80, Tiny: 1,
				Causes: []Cause{{NewObject, 31, 16 + 2*48 + 4*64 + 8*96 + 16*80}}}},
		},
		{
			"a function of the runtime that makes such an object",
			[]wire.Stack{stack(1, 48, "runtime.mallocgcSmallScanNoHeaderSC5", "runtime.mallocgc",
				"runtime.makemap_small", f)},
			[]Line{{File: "x.go", Line: 3, Func: "F", Objects: 1, Bytes: 48,
				Causes: []Cause{{"runtime.makemap_small", 1, 48}}}},
		},
		{
			"the runtime as a callee's caller", // only its leading frames are taken for a cause
			[]wire.Stack{stack(1, 48, "runtime.newobject", "lib.f", "runtime.goexit", f)},
			[]Line{{File: "x.go", Line: 3, Func: "F", Objects: 1, Bytes: 48,
				Callees: []string{"runtime.goexit", "lib.f"},
				Causes:  []Cause{{"runtime.newobject", 1, 48}}}},
		},
		{
			"the innermost own line",
			[]wire.Stack{stack(1, 64, "runtime.newobject", importPath+".F.func1 x.go:5", "lib.Each", f, test)},
			[]Line{{File: "x.go", Line: 5, Func: "F.func1", Objects: 1, Bytes: 64,
				Causes: []Cause{{"runtime.newobject", 1, 64}}}},
		},
		{
			"a closure", // named after what it was inlined into, as up to Go 1.26, and else
			[]wire.Stack{
				stack(1, 64, "runtime.newobject", importPath+"_test.BenchmarkF.F.func1 x.go:5", test),
				stack(2, 64, "runtime.newobject", importPath+".F.func1 x.go:5", test),
			},
			[]Line{{Callers: called, File: "x.go", Line: 5, Func: "F.func1", Objects: 3, Bytes: 3 * 64,
				Causes: []Cause{{"runtime.newobject", 3, 3 * 64}}}},
		},
		{
			"in the order of the source",
			[]wire.Stack{stack(1, 64, importPath+".(*T).G x.go:7"), stack(9, 64, importPath+".F[...] x.go:2"),
				stack(5, 64, importPath+".A x.go:2")},
			[]Line{
				{File: "x.go", Line: 2, Func: "A", Objects: 5, Bytes: 320, Causes: []Cause{{NewObject, 5, 320}}},
				{File: "x.go", Line: 2, Func: "F[...]", Objects: 9, Bytes: 576, Causes: []Cause{{NewObject, 9, 576}}},
				{File: "x.go", Line: 7, Func: "(*T).G", Objects: 1, Bytes: 64, Causes: []Cause{{NewObject, 1, 64}}},
			},
		},
		{
			"what two runs have in common", // it falls out, also of a line that has more
			[]wire.Stack{stack(-20, 16, "lib.a", f), stack(20, 16, "lib.b", f),
				stack(-1, 64, "runtime.newobject", importPath+
					".F x.go:4"), stack(3, 64, "runtime.makeslice", importPath+".F x.go:4")},
			[]Line{{File: "x.go", Line: 4, Func: "F", Objects: 2, Bytes: 128,
				Causes: []Cause{{"runtime.makeslice", 3, 192}}}},
		},
		{"the measurement's own", []wire.Stack{stack(1, 64, "runtime.newobject",
			"onthestack/internal/harness/testmain.Stopped", f),
			stack(1, 64, f, "onthestack/internal/harness/testmain.call")},
			[]Line{{File: "x.go", Line: 3, Func: "F", Objects: 1, Bytes: 64, Causes: []Cause{{NewObject, 1, 64}}}}},
		{"no line of the package", []wire.Stack{stack(1, 64, "runtime.newobject", "lib.F", test), stack(1, 64),
			stack(1, 64, "runtime.newobject", "runtime.main")}, []Line{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, order := range []string{"as listed", "in reverse"} {
				got := Fold(c.stacks, importPath, own)
				for i := range got {
					got[i].Parts = nil // see TestParts
				}
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("%s: got  %+v\nwant %+v", order, got, c.want)
				}
				slices.Reverse(c.stacks)
			}
		})
	}
}

// TestParts proves that a line's own allocations are separate from its callees' allocations, and that the part with the
// most objects is first.
func TestParts(t *testing.T) {
	const f = importPath + ".F x.go:3"
	got := Fold([]wire.Stack{
		stack(1, 16, "runtime.convTstring", f),
		stack(2, 16, "runtime.newobject", f),
		stack(2, 24, "runtime.growslice", "strings.(*Builder).grow", "strings.ToUpper", f),
		stack(3, 8, "runtime.newobject", "strings.ToUpper", f),
		stack(1, 48, "runtime.newobject", "time.Time.Format", f),
		stack(-4, 48, "runtime.newobject", "lib.Setup", f),
	}, importPath, own)
	want := []Part{
		{Callees: []string{"strings.ToUpper"}, Objects: 5, Bytes: 72,
			Causes: []Cause{{NewObject, 3, 24}, {"runtime.growslice", 2, 48}},
			Sizes:  map[Object]float64{{NewObject, 8}: 3, {"runtime.growslice", 24}: 2},
			Paths: []Path{{[]string{"strings.ToUpper"}, 3, 24, map[Object]float64{{NewObject, 8}: 3}},
				{[]string{"strings.ToUpper", "strings.(*Builder).grow"}, 2, 48,
					map[Object]float64{{"runtime.growslice", 24}: 2}}}},
		{Objects: 3, Bytes: 48, Causes: []Cause{{NewObject, 2, 32}, {"runtime.convTstring", 1, 16}},
			Sizes: map[Object]float64{{NewObject, 16}: 2, {"runtime.convTstring", 16}: 1},
			Paths: []Path{{nil, 3, 48, map[Object]float64{{NewObject, 16}: 2, {"runtime.convTstring", 16}: 1}}}},
		{Callees: []string{"time.Time.Format"}, Objects: 1, Bytes: 48, Causes: []Cause{{NewObject, 1, 48}},
			Sizes: map[Object]float64{{NewObject, 48}: 1},
			Paths: []Path{{[]string{"time.Time.Format"}, 1, 48, map[Object]float64{{NewObject, 48}: 1}}}},
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0].Parts, want) || got[0].Tiny != 2 {
		t.Errorf("got %+v\nwant %+v, 2 tiny", got, want)
	}
}

// TestFoldTie proves that if a line allocates equally often in two ways, the first one is reported.
func TestFoldTie(t *testing.T) {
	const f = importPath + ".F x.go:3"
	boxed, reversed := stack(1, 24, "runtime.convTslice", f), stack(1, 24, "runtime.newobject", "sort.Reverse", f)
	got := Fold([]wire.Stack{boxed, reversed}, importPath, own)
	if len(got) != 1 || len(got[0].Callees) != 0 || len(got[0].Causes) != 2 ||
		got[0].Causes[0].Func != "runtime.convTslice" {
		t.Errorf("%+v", got)
	}
	got = Fold([]wire.Stack{reversed, boxed}, importPath, own)
	if len(got) != 1 || !slices.Equal(got[0].Callees, []string{"sort.Reverse"}) ||
		got[0].Causes[0].Func != "runtime.newobject" {
		t.Errorf("%+v", got)
	}
}

// TestFoldFolders: a package is known by its import path or by a folder, on any system, that ends in it.
func TestFoldFolders(t *testing.T) {
	for file, want := range map[string]int{
		importPath + "/x.go":                                             1,
		"/tmp/clone/" + importPath + "/x.go":                             1,
		`C:\clone\` + strings.ReplaceAll(importPath, "/", `\`) + `\x.go`: 1,
		"not" + importPath + "/x.go":                                     0,
		importPath + "/sub/x.go":                                         0,
		importPath + "/y.go":                                             0,
		"x.go":                                                           0,
	} {
		s := wire.Stack{Objects: 1, Size: 64, Frames: []wire.Frame{{Func: "F", File: file, Line: 1}}}
		if got := Fold([]wire.Stack{s}, importPath, own); len(got) != want {
			t.Errorf("%s: %d lines, want %d", file, len(got), want)
		}
	}
}

func TestFunctionName(t *testing.T) {
	for _, c := range []struct{ name, declared, want string }{
		{"F", "F", "F"},
		{"F.func1", "F", "F.func1"},
		{"F-range1", "F", "F-range1"},
		{"x_test.BenchmarkF.F.func1", "F", "F.func1"},
		{"x_test.BenchmarkF.F.BenchmarkF.F.func1.func2", "F", "F.func1.func2"},
		{"G.F[...].func3", "F", "F[...].func3"},
		{"G.G.F.func1.G-range1-range3", "G", "G-range1-range3"},
		{"G.(*T[...]).All.func1", "(*T[...]).All", "(*T[...]).All.func1"},
		{"G.T.All-range1", "T.All", "T.All-range1"},
		{"G.f.func1", "f", "f.func1"}, // "func1" begins like f
		{"G.Ff.func1", "F", "G.Ff.func1"},
		{"init.func1", "", "init.func1"},
		{"glob..func1", "F", "glob..func1"},
	} {
		if got := functionName(c.name, c.declared); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.name, c.declared, got, c.want)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add(int64(1), int64(16), "runtime.newobject", importPath+"/x.go")
	f.Add(int64(-1), int64(0), "", `\`)
	f.Fuzz(func(t *testing.T, objects, size int64, fn, file string) {
		frames := []wire.Frame{{Func: fn, File: file}, {Func: importPath + "." + fn, File: importPath + "/x.go",
			Line: 1}}
		for _, l := range Fold([]wire.Stack{{Objects: objects, Size: size, Frames: frames}}, importPath, own) {
			if !(l.Objects > 0) || l.File != "x.go" || len(l.Causes) == 0 {
				t.Errorf("%+v", l)
			}
		}
	})
}
