package why

import (
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
)

// TestSampled explains lines of a profile with and without the function of the runtime that was called.
func TestSampled(t *testing.T) {
	const text = "package p\n\nfunc F(n int) any {\n\ts := g(append([]int{}, n))\n\tgo f(n)\n\treturn s\n}\n"
	diagnostics := []escape.Diagnostic{
		{File: "p.go", Line: 4, Col: 13, Kind: escape.Escape, Message: "append escapes to heap"},
		{File: "p.go", Line: 6, Col: 2, Kind: escape.Stays, Message: "a + b does not escape"},
	}
	frame := func(line int) wire.Frame {
		return wire.Frame{Func: "example.com/p.F", File: "example.com/p/p.go", Line: line}
	}
	callee := wire.Frame{Func: "fmt.Sprint", File: "/print.go", Line: 3}
	unknown := wire.Frame{Func: "runtime."}
	for _, test := range []struct {
		name   string
		stacks []wire.Stack
		kind   Kind
		why    string
	}{
		{"known", []wire.Stack{{Objects: 3, Size: 16, Frames: []wire.Frame{{Func: "runtime.growslice"}, frame(4)}}},
			AppendGrew, "the array that append grows moves to the heap"},
		{"not known", []wire.Stack{{Objects: 3, Size: 16, Frames: []wire.Frame{unknown, frame(4)}}},
			AppendGrew, "the array that append grows moves to the heap"},
		{"another function", []wire.Stack{{Objects: 3, Size: 16, Frames: []wire.Frame{{Func: "runtime.makechan"}, frame(4)}}},
			EscapesToHeap, "a channel is always made on the heap"},
		{"no diagnostic", []wire.Stack{{Objects: 3, Size: 16, Frames: []wire.Frame{unknown, frame(3)}}},
			Unexplained, unknownFunction},
		{"on the stack", []wire.Stack{{Objects: 3, Size: 64, Frames: []wire.Frame{unknown, frame(6)}}},
			StringConcatenation, "does not escape, yet allocates: the concatenation makes a new string, and 64 bytes is over " +
				"the 32 that the compiler keeps ready on the stack"},
		{"a goroutine", []wire.Stack{{Objects: 3, Size: 16, Frames: []wire.Frame{unknown, frame(5)}}},
			Goroutine, "starting a goroutine allocates a closure with the call's arguments"},
		{"partly in a callee", []wire.Stack{
			{Objects: 3, Size: 16, Frames: []wire.Frame{{Func: "runtime.growslice"}, frame(4)}},
			{Objects: 1, Size: 16, Frames: []wire.Frame{unknown, callee, frame(4)}}},
			AppendGrew, "the array that append grows moves to the heap; 25 % of the objects inside fmt.Sprint"},
	} {
		p := &Package{ImportPath: "example.com/p", Files: map[string][]byte{"p.go": []byte(text)}, Diagnostics: diagnostics}
		found := Sampled([]*Package{p}, test.stacks)
		if len(found) != 1 || found[0].Kind != test.kind || found[0].Why != test.why || found[0].Func != "F" {
			t.Errorf("%s: %+v", test.name, found)
		}
	}
}

// TestSampledBoxes: of several integers on a line, some may have been below 256. A single one that was counted was not.
func TestSampledBoxes(t *testing.T) {
	const text = "package p\n\nfunc F(n, m int) {\n\tfmt.Println(n, m)\n\tfmt.Println(n)\n\tfmt.Println(n, 1e3*f())\n}\n"
	box := func(line, col int, name string) escape.Diagnostic {
		return escape.Diagnostic{File: "p.go", Line: line, Col: col, Kind: escape.Escape, Message: name + " escapes to heap"}
	}
	for line, want := range map[int]string{
		4: "the value of n is boxed on the heap, to fit in an interface, unless it is an integer below 256; " +
			"the value of m is boxed on the heap, to fit in an interface, unless it is an integer below 256",
		5: "the value of n is boxed on the heap, to fit in an interface",
		6: "the value of n is boxed on the heap, to fit in an interface, unless it is an integer below 256; " +
			"the value of 1000 * (…) is boxed on the heap, to fit in an interface",
	} {
		p := &Package{ImportPath: "example.com/p", Files: map[string][]byte{"p.go": []byte(text)},
			Diagnostics: []escape.Diagnostic{box(4, 14, "n"), box(4, 17, "m"), box(5, 14, "n"), box(6, 14, "n"),
				box(6, 20, "1000 * (~r0)")},
			ValueOf: func(d escape.Diagnostic) (escape.Value, bool) {
				if d.Col == 20 { // of the result of an inlined call
					return escape.Value{}, false
				}
				return escape.Value{Size: 8, Convert: "runtime.convT64"}, true
			}}
		found := Sampled([]*Package{p}, []wire.Stack{{Objects: 1000, Size: 8, Frames: []wire.Frame{
			{Func: "runtime.convT64"}, {Func: "example.com/p.F", File: "example.com/p/p.go", Line: line}}}})
		if len(found) != 1 || found[0].Why != want {
			t.Errorf("line %d: %+v", line, found)
		}
	}
}
