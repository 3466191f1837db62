package escape

import "testing"

// TestNameValues names values of which the compiler has only its own variables.
func TestNameValues(t *testing.T) {
	files := map[string][]byte{"x.go": []byte(`package x

func New(a uint64) *T {
	return &T{A: new(a)}
}

func (n *node) Any() any             { return n.text() }
func (n *node) AnyErr() (any, error) { return n.slow() }

func Fields(r reflect.Type, i int) {
	names = append(names, r.Elem().Name()+"="+fmt.Sprint(r))
	sink, err = n.slow()
}
`)}
	const boxed = " is boxed on the heap, to fit in an interface"
	for _, test := range []struct {
		d    Diagnostic
		want string
		step string
	}{
		{Diagnostic{Line: 4, Col: 18, Kind: Moved, Message: "moved to heap: .autotmp_3"},
			"the value of new(a) moves to the heap", "the value of new(a) is stored"},
		{Diagnostic{Line: 7, Col: 53, Kind: Escape, Message: "~r0 escapes to heap"},
			"the result of n.text()" + boxed, "the result of n.text() is stored"},
		{Diagnostic{Line: 8, Col: 40, Kind: Escape, Message: ".autotmp_3 escapes to heap"},
			"a result of n.slow()" + boxed, "a result of n.slow() is stored"},
		{Diagnostic{Line: 11, Col: 43, Kind: Escape, Message: `.autotmp_4.Name() + "=" + ~r0 escapes to heap`},
			`the new string r.Elem().Name()+"="+fmt.Sprint(r) moves to the heap`, ""},
		{Diagnostic{Line: 12, Col: 2, Kind: Escape, Message: ".autotmp_5 escapes to heap"},
			"a result of n.slow()" + boxed, "a result of n.slow() is stored"},
		{Diagnostic{Line: 11, Col: 99, Kind: Escape, Message: `.autotmp_4.Name() + "=" + ~r0 escapes to heap`},
			`the new string ….Name() + "=" + … moves to the heap`, ""},
		{Diagnostic{Line: 11, Col: 99, Kind: Escape, Message: ".autotmp_4 escapes to heap"},
			"a temporary value" + boxed, "a temporary value is stored"},
	} {
		d := test.d
		d.File = "x.go"
		made := "a temporary value is stored"
		if d.Message[0] == '~' {
			made = "the result is stored"
		}
		d.Flow = []Step{{File: "x.go", Line: d.Line, Message: made}}
		all := []Diagnostic{d}
		NameValues(all, files)
		if got := Why(all[0]); got != test.want {
			t.Errorf("%s: %q, want %q", d.Message, got, test.want)
		}
		if got := all[0].Flow[0].Message; test.step != "" && got != test.step {
			t.Errorf("%s: the step is %q, want %q", d.Message, got, test.step)
		}
	}
}
