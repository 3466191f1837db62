package verdict

import (
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// TestAnnounced: of the compiler's reasons for a line, those are named for which objects were counted.
func TestAnnounced(t *testing.T) {
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
		return profile.Part{Callees: []string{callee}, Objects: 1,
			Sizes: map[profile.Object]float64{{Cause: profile.NewObject, Size: 48}: 1}}
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
		{"an object of another size", own(map[profile.Object]float64{{Cause: profile.NewObject, Size: 1024}: 1}),
			unexplained},
		{"a callee", inside("strings.ToUpper"), "allocated inside strings.ToUpper, which is called here"},
		{"a callee that is inlined", inside("bytes.NewBuffer"), "the bytes.Buffer moves to the heap"},
	} {
		a := &Allocation{File: "x.go", Line: 3, operations: 1, parts: []profile.Part{test.part}}
		for o := range test.part.Sizes {
			a.parts[0].Causes = []profile.Cause{{Func: o.Cause, Objects: 1, Bytes: float64(o.Size)}}
		}
		newReport(all, func(d escape.Diagnostic) (escape.Value, bool) {
			s, ok := types[d.Message]
			return s, ok
		}).explain(a)
		if a.Why != test.want {
			t.Errorf("%s: %q, want %q", test.name, a.Why, test.want)
		}
	}
}

// TestAnnouncedConstant: the compiler copies a constant string into a new array, without a call for the conversion.
func TestAnnouncedConstant(t *testing.T) {
	d := escape.Diagnostic{File: "x.go", Line: 3, Kind: escape.Escape, Message: `([]byte)("x") escapes to heap`}
	a := &Allocation{File: "x.go", Line: 3, operations: 1, parts: []profile.Part{{Objects: 1,
		Sizes:  map[profile.Object]float64{{Cause: profile.NewObject, Size: 16}: 1},
		Causes: []profile.Cause{{Func: profile.NewObject, Objects: 1, Bytes: 16}}}}}
	newReport([]escape.Diagnostic{d}, nil).explain(a)
	if want := `the copy of "x" as []byte moves to the heap`; a.Why != want {
		t.Errorf("%q, want %q", a.Why, want)
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
	r := newReport([]escape.Diagnostic{
		leak("(*key).set", 10, "passed to (*key).grow, which may keep it"),
		leak("(*key).grow", 20, "stored in k.text, which may be on the heap"),
		leak("two", 30, "stored in a"), leak("two", 31, "stored in b"),
		leak("loop", 40, "passed to loop, which may keep it"),
	}, nil)
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
