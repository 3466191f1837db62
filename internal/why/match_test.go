package why

import (
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// TestMatchDiagnostics: a diagnostic is named if objects were counted that it matches.
func TestMatchDiagnostics(t *testing.T) {
	at := func(col int, kind escape.Kind, message string) escape.Diagnostic {
		return escape.Diagnostic{File: "x.go", Line: 3, Col: col, Kind: kind, Message: message}
	}
	grows := at(1, escape.Escape, "append escapes to heap")
	payment := at(2, escape.Escape, "&payment{...} escapes to heap")
	number, text := at(3, escape.Escape, "n escapes to heap"), at(4, escape.Escape, "s escapes to heap")
	empty := at(5, escape.Escape, "&key{} escapes to heap")
	inlined := []escape.Diagnostic{
		at(6, escape.Inline, "inlining call to bytes.NewBuffer"),
		at(6, escape.Escape, "&bytes.Buffer{...} escapes to heap"),
	}
	types := map[string]escape.Value{
		payment.Message: {Size: 32, Pointers: true},
		number.Message:  {Size: 8, Convert: "runtime.convT64"},
		text.Message:    {Size: 16, Pointers: true, Convert: "runtime.convTstring"},
		empty.Message:   {},
	}
	own := func(sizes map[profile.Object]float64) profile.Part { return profile.Part{Objects: 1, Sizes: sizes} }
	inside := func(callee string) profile.Part {
		return part([]string{callee}, profile.Object{Cause: profile.NewObject, Size: 48})
	}
	all := append([]escape.Diagnostic{grows, payment, number, text, empty}, inlined...)
	for _, test := range []struct {
		name string
		part profile.Part
		want string
	}{
		{"an object, and no array", own(map[profile.Object]float64{{Cause: profile.NewObject, Size: 32}: 8}),
			"the payment moves to the heap"},
		{"an array", own(map[profile.Object]float64{{Cause: "runtime.growslice", Size: 32}: 1}),
			"the array that append grows moves to the heap"},
		{"a string in an interface", own(map[profile.Object]float64{{Cause: "runtime.convTstring", Size: 16}: 1}),
			"the value of s is boxed on the heap, to fit in an interface"},
		{"an object of the next size class", own(map[profile.Object]float64{{Cause: profile.NewObject, Size: 48}: 1}),
			unknownReason},
		{"an object of another size", own(map[profile.Object]float64{{Cause: profile.NewObject, Size: 1024}: 1}),
			unknownReason},
		{"a callee", inside("strings.ToUpper"), "allocated inside strings.ToUpper, which is called here"},
		{"a callee that is inlined", inside("bytes.NewBuffer"), "the bytes.Buffer moves to the heap"},
	} {
		a := &line{Allocation: Allocation{File: "x.go", Line: 3},
			operations: 1, parts: []profile.Part{test.part}}
		for o := range test.part.Sizes {
			a.parts[0].Causes = []profile.Cause{{Func: o.Cause, Objects: 1, Bytes: float64(o.Size)}}
		}
		newReport(&Package{Diagnostics: all, ValueOf: func(d escape.Diagnostic) (escape.Value, bool) {
			s, ok := types[d.Message]
			return s, ok
		}}).explain(a)
		if a.Why != test.want {
			t.Errorf("%s: %q, want %q", test.name, a.Why, test.want)
		}
	}
}

// TestConstantConversion: the compiler copies a constant string into a new array, without a call for the conversion.
func TestConstantConversion(t *testing.T) {
	d := escape.Diagnostic{File: "x.go", Line: 3, Kind: escape.Escape, Message: `([]byte)("x") escapes to heap`}
	a := &line{Allocation: Allocation{File: "x.go", Line: 3},
		operations: 1, parts: []profile.Part{{Objects: 1,
			Sizes:  map[profile.Object]float64{{Cause: profile.NewObject, Size: 16}: 1},
			Causes: []profile.Cause{{Func: profile.NewObject, Objects: 1, Bytes: 16}}}}}
	newReport(&Package{Diagnostics: []escape.Diagnostic{d}}).explain(a)
	if want := `the copy of "x" as []byte moves to the heap`; a.Why != want {
		t.Errorf("%q, want %q", a.Why, want)
	}
}

// part returns a part of an allocation: an object that is allocated by a path of calls.
func part(callees []string, o profile.Object) profile.Part {
	sizes := map[profile.Object]float64{o: 1}
	return profile.Part{Callees: callees, Objects: 1, Bytes: float64(o.Size), Sizes: sizes,
		Causes: []profile.Cause{{Func: o.Cause, Objects: 1, Bytes: float64(o.Size)}},
		Paths:  []profile.Path{{Callees: callees, Objects: 1, Bytes: float64(o.Size), Sizes: sizes}}}
}

// TestInlined: at the position of an inlined call, a diagnostic is about what the inlined functions allocate, not about
// what the functions that these call do; or about the expression around the call, if they allocate nothing of its kind.
func TestInlined(t *testing.T) {
	at := func(kind escape.Kind, message string) escape.Diagnostic {
		return escape.Diagnostic{File: "x.go", Line: 3, Col: 6, Kind: kind, Message: message}
	}
	errorf := []escape.Diagnostic{
		at(escape.Inline, "inlining call to fmt.Errorf"), at(escape.Inline, "inlining call to errors.New"),
		at(escape.Escape, "&errors.errorString{...} escapes to heap"),
	}
	query := []escape.Diagnostic{
		at(escape.Inline, "inlining call to url.QueryEscape"), at(escape.Escape, "([]byte)(~r0) escapes to heap"),
	}
	header := []escape.Diagnostic{
		at(escape.Inline, "inlining call to http.Header.Set"),
		at(escape.Inline, "inlining call to textproto.MIMEHeader.Set"),
		at(escape.Escape, "[]string{...} escapes to heap"),
	}
	set := part([]string{"net/http.Header.Set", "net/textproto.MIMEHeader.Set"},
		profile.Object{Cause: profile.NewObject, Size: 16})
	set.Paths[0].Sizes[profile.Object{Cause: "runtime.mapassign_faststr", Size: 352}] = 1
	text := profile.Object{Cause: "runtime.slicebytetostring", Size: 48}
	copied := profile.Object{Cause: "runtime.stringtoslicebyte", Size: 48}
	object := profile.Object{Cause: profile.NewObject, Size: 16}
	for _, test := range []struct {
		name  string
		of    []escape.Diagnostic
		parts []profile.Part
		want  string
	}{
		{"below the inlined function", errorf,
			[]profile.Part{part([]string{"fmt.Errorf", "fmt.errorf", "errors.New"}, object)},
			"allocated inside fmt.Errorf, which is called here"},
		{"in the inlined function", errorf, []profile.Part{part([]string{"fmt.Errorf", "errors.New"}, object)},
			"the errors.errorString moves to the heap"},
		{"by the runtime for the inlined function", header, []profile.Part{set},
			"the slice's array moves to the heap; not announced by the compiler: storing into a map may make it grow"},
		{"around the inlined function", query,
			[]profile.Part{part([]string{"net/url.QueryEscape", "net/url.escape"}, text), part(nil, copied)},
			"the copy of the result as []byte moves to the heap; 1 alloc/op inside url.QueryEscape"},
	} {
		a := &line{Allocation: Allocation{File: "x.go", Line: 3, AllocsPerOp: float64(len(test.parts))},
			operations: 1, parts: test.parts}
		newReport(&Package{Diagnostics: test.of}).explain(a)
		if a.Why != test.want {
			t.Errorf("%s: %q, want %q", test.name, a.Why, test.want)
		}
	}
}

// TestBoxOf: the compiler reports a string that is boxed once for the string and once for the box.
func TestBoxOf(t *testing.T) {
	box := escape.Diagnostic{File: "x.go", Line: 3, Col: 16, Kind: escape.Escape, Message: "string(b) escapes to heap"}
	value := box
	value.Col, value.Flow = 17, []escape.Step{{Text: "flow: {storage for string(b)} ← &{storage for string(b)}:"}}
	p := part(nil, profile.Object{Cause: "runtime.slicebytetostring", Size: 16})
	p.Causes = append(p.Causes, profile.Cause{Func: "runtime.convTstring", Objects: 1, Bytes: 16})
	a := &line{Allocation: Allocation{File: "x.go", Line: 3, AllocsPerOp: 2},
		operations: 1, parts: []profile.Part{p}}
	newReport(&Package{Diagnostics: []escape.Diagnostic{box, value}}).explain(a)
	const want = "the string made from b moves to the heap, and so does the box that holds it in an interface"
	if a.Why != want || len(a.Reasons) != 2 {
		t.Errorf("%q with %d reasons, want %q with 2", a.Why, len(a.Reasons), want)
	}
	// A string of one byte is not allocated, its box is.
	a.parts = []profile.Part{part(nil, profile.Object{Cause: "runtime.convTstring", Size: 16})}
	newReport(&Package{Diagnostics: []escape.Diagnostic{box, value}}).explain(a)
	const alone = "the string made from b is boxed on the heap, to fit in an interface"
	if a.Why != alone || len(a.Reasons) != 1 || a.Kind != InterfaceBoxing {
		t.Errorf("the box alone: %s, %q with %d reasons, want %q with 1", a.Kind, a.Why, len(a.Reasons), alone)
	}
}

// TestUnrecorded: tiny objects that were not recorded belong to the part that has blocks of them.
func TestUnrecorded(t *testing.T) {
	boxes := part(nil, profile.Object{Cause: "runtime.convTstring", Size: 16})
	boxes.Objects, boxes.Sizes[profile.Object{Cause: "runtime.convTstring", Size: 16}] = 4, 4
	text := part([]string{"fmt.Sprintf"}, profile.Object{Cause: "runtime.slicebytetostring", Size: 16})
	a := &line{Allocation: Allocation{File: "x.go", Line: 3, AllocsPerOp: 3},
		operations: 2, parts: []profile.Part{boxes, text}}
	s := escape.Diagnostic{File: "x.go", Line: 3, Col: 2, Kind: escape.Escape, Message: "s escapes to heap"}
	const want = "the value of s is boxed on the heap, to fit in an interface; "
	for shared, inside := range map[bool]string{
		false: "1 alloc/op inside fmt.Sprintf",
		true:  "about 1 alloc/op inside fmt.Sprintf", // other lines may have made some of them
	} {
		a.Shared = shared
		newReport(&Package{Diagnostics: []escape.Diagnostic{s}}).explain(a)
		if a.Why != want+inside {
			t.Errorf("shared %v: %q, want %q", shared, a.Why, want+inside)
		}
	}
}

// TestSomeOf: the runtime allocates nothing for the box of some values, and the profile does not say for which.
func TestSomeOf(t *testing.T) {
	boxes := []escape.Diagnostic{}
	for col, name := range []string{"a", "b", "c", "c"} {
		boxes = append(boxes, escape.Diagnostic{
			File: "x.go", Line: 3, Col: min(col, 2), Kind: escape.Escape, Message: name + " escapes to heap",
		})
	}
	for _, test := range []struct {
		convert string
		objects float64 // in ten operations
		want    string
	}{
		{"runtime.convTstring", 10, "the value of a, b or c is boxed on the heap, to fit in an interface"},
		{"runtime.convTstring", 20, "2 of the values of a, b and c are boxed on the heap, to fit in an interface"},
		{"runtime.convTstring", 30, "the value of a is boxed on the heap, to fit in an interface; the value of b is " +
			"boxed on the heap, to fit in an interface; the value of c is boxed on the heap, to fit in an interface"},
		// The line runs now and then.
		{"runtime.convTstring", 3, "the value of a is boxed on the heap, to fit in an interface; the value of b is " +
			"boxed on the heap, to fit in an interface; the value of c is boxed on the heap, to fit in an interface"},
		// The runtime allocates for each struct, whatever its value.
		{"runtime.convT", 10, "the value of a is boxed on the heap, to fit in an interface; the value of b is boxed " +
			"on the heap, to fit in an interface; the value of c is boxed on the heap, to fit in an interface"},
	} {
		o := profile.Object{Cause: test.convert, Size: 16}
		p := part(nil, o)
		p.Objects, p.Sizes[o] = test.objects, test.objects
		a := &line{Allocation: Allocation{File: "x.go", Line: 3, AllocsPerOp: test.objects / 10},
			operations: 10, parts: []profile.Part{p}}
		newReport(&Package{Diagnostics: boxes, ValueOf: func(escape.Diagnostic) (escape.Value, bool) {
			return escape.Value{Size: 16, Pointers: true, Convert: test.convert}, true
		}}).explain(a)
		if a.Why != test.want {
			t.Errorf("%s, %v objects: %q, want %q", test.convert, test.objects, a.Why, test.want)
		}
	}
}

// TestTinyBlocks: a parameter that does not escape says nothing about what its line allocates.
func TestTinyBlocks(t *testing.T) {
	at := func(kind escape.Kind, message string) escape.Diagnostic {
		return escape.Diagnostic{File: "x.go", Line: 3, Kind: kind, Message: message}
	}
	object, text := profile.Object{Cause: profile.NewObject, Size: 16}, profile.Object{
		Cause: "runtime.slicebytetostring", Size: 16,
	}
	value := func(d escape.Diagnostic) (escape.Value, bool) {
		return escape.Value{Size: -1, Pointers: true}, escape.StorageOf(d) == escape.Closure
	}
	for _, test := range []struct {
		name   string
		said   []escape.Diagnostic
		object profile.Object
		want   bool
	}{
		{"nothing is said", nil, object, true},
		{"a closure", []escape.Diagnostic{at(escape.Escape, "func literal escapes to heap")}, object, false},
		{"a closure with a parameter", []escape.Diagnostic{at(escape.Escape, "func literal escapes to heap"),
			at(escape.Stays, "s does not escape")}, object, false},
		{"a text", []escape.Diagnostic{at(escape.Stays, "string(b) does not escape")}, text, true},
	} {
		own := profile.Part{Objects: 1, Sizes: map[profile.Object]float64{test.object: 1}}
		r := newReport(&Package{Diagnostics: test.said, ValueOf: value})
		if got := r.mayHaveNoPointers(test.object, sourceLine{"x.go", 3}, []profile.Part{own}, &own); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestRareCauses: a cause without a diagnostic is named if it makes a part of the line's objects or bytes that is worth a
// clause.
func TestRareCauses(t *testing.T) {
	said := []escape.Diagnostic{
		{File: "x.go", Line: 3, Col: 9, Kind: escape.Escape, Message: "make([]byte, 8) escapes to heap"},
	}
	value := func(d escape.Diagnostic) (escape.Value, bool) { return escape.Value{Size: -1}, true }
	const array = "the slice's array moves to the heap"
	const grew = "not announced by the compiler: storing into a map may make it grow"
	for _, test := range []struct {
		name       string
		allocs     float64
		growth     float64 // objects
		growthSize int64
		want       string
	}{
		{"the array alone", 1, 0, 0, array},
		{"a growth of many bytes now and then", 1.001, 1, 40_000, array + "; " + grew},
		{"a growth of few bytes now and then", 1.001, 1, 400, array},
	} {
		p := part(nil, profile.Object{Cause: "runtime.makeslice", Size: 16})
		p.Objects, p.Bytes, p.Sizes[profile.Object{Cause: "runtime.makeslice", Size: 16}] = 1000, 16_000, 1000
		p.Causes[0].Objects, p.Causes[0].Bytes = 1000, 16_000
		if test.growth > 0 {
			p.Sizes[profile.Object{Cause: "runtime.mapassign_faststr", Size: test.growthSize}] = test.growth
			p.Objects, p.Bytes = p.Objects+test.growth, p.Bytes+test.growth*float64(test.growthSize)
			p.Causes = append(p.Causes, profile.Cause{Func: "runtime.mapassign_faststr", Objects: test.growth,
				Bytes: test.growth * float64(test.growthSize)})
		}
		a := &line{Allocation: Allocation{File: "x.go", Line: 3, AllocsPerOp: test.allocs},
			operations: 1000, parts: []profile.Part{p}}
		newReport(&Package{Diagnostics: said, ValueOf: value}).explain(a)
		if a.Why != test.want {
			t.Errorf("%s: %q, want %q", test.name, a.Why, test.want)
		}
	}
}

// TestInlinedOwn: at a call of a function of the package that is inlined, the compiler repeats what it says on the
// function's lines. Among that is the closure of the call's own line, here the body of a loop.
func TestInlinedOwn(t *testing.T) {
	at := func(line int, kind escape.Kind, message string) escape.Diagnostic {
		return escape.Diagnostic{File: "x.go", Line: line, Col: 2, Kind: kind, Message: message}
	}
	said := []escape.Diagnostic{
		at(3, escape.Inline, "can inline sum.(*tree).All.func1"),
		at(3, escape.Inline, "inlining call to sum.(*tree).All.func1"),
		at(3, escape.Moved, "moved to heap: #state1"), at(3, escape.Escape, "func literal escapes to heap"),
		at(3, escape.Escape, "&node{...} escapes to heap"),
		at(9, escape.Escape, "func literal escapes to heap"), at(9, escape.Escape, "&node{...} escapes to heap"),
	}
	value := func(d escape.Diagnostic) (escape.Value, bool) {
		switch escape.StorageOf(d) {
		case escape.Closure:
			return escape.Value{Size: 24, Pointers: true}, true
		case escape.Pointee:
			return escape.Value{Size: 96, Pointers: true}, true
		}
		return escape.Value{}, false
	}
	for _, test := range []struct {
		name   string
		object profile.Object
		want   string
	}{
		{"the closure", profile.Object{Cause: profile.NewObject, Size: 24}, "the closure moves to the heap"},
		{"a literal", profile.Object{Cause: profile.NewObject, Size: 96}, "the node moves to the heap"},
		{"the loop's state", profile.Object{Cause: profile.NewObject, Size: 16},
			"the loop's variable #state1 moves to the heap"},
		{"another object", profile.Object{Cause: "runtime.makechan", Size: 96},
			"a channel is always made on the heap"},
	} {
		a := &line{Allocation: Allocation{File: "x.go", Line: 3, Func: "sum", AllocsPerOp: 1},
			operations: 1, parts: []profile.Part{part(nil, test.object)}}
		newReport(&Package{Diagnostics: said, ValueOf: value}).explain(a)
		if a.Why != test.want {
			t.Errorf("%s: %q, want %q", test.name, a.Why, test.want)
		}
	}
}

// TestFollow: a flow into a function of the package goes on there, up to the function that may keep several parameters.
func TestFollow(t *testing.T) {
	step := func(line int, message string) escape.Step {
		return escape.Step{File: "x.go", Line: line, Message: message, Text: message}
	}
	leak := func(function string, line int, message string) escape.Diagnostic {
		return escape.Diagnostic{File: "x.go", Line: line, Kind: escape.Leak, Message: "leaking param: k",
			Func: function, Flow: []escape.Step{step(line, message)}}
	}
	r := newReport(&Package{Diagnostics: []escape.Diagnostic{
		leak("(*key).set", 10, "passed to (*key).grow, which may keep it"),
		leak("(*key).grow", 20, "stored in k.text, which may be on the heap"),
		leak("two", 30, "stored in a"), leak("two", 31, "stored in b"),
		leak("loop", 40, "passed to loop, which may keep it"),
	}})
	for message, want := range map[string]int{
		"passed to (*key).set, which may keep it":           3,
		"F passes it to (*key).grow, which may keep it":     2,
		"passed to two, which may keep it":                  1,
		"passed to fmt.Sprint, which may keep it":           1,
		"passed to loop, which may keep it":                 2,
		"returned to the caller, which outlives this frame": 1,
	} {
		if got := r.follow([]escape.Step{step(1, message)}); len(got) != want {
			t.Errorf("%s: %d steps, want %d: %v", message, len(got), want, got)
		}
	}
}
