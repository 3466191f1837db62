package escape

import (
	"slices"
	"strings"
	"testing"
)

func TestWhy(t *testing.T) {
	const box = " is boxed on the heap, to fit in an interface"
	for message, want := range map[string]string{
		"&bytes.Buffer{...} escapes to heap":          "the bytes.Buffer moves to the heap",
		"&T{} escapes to heap":                        "the T moves to the heap",
		"&node[go.shape.int]{...} escapes to heap":    "the node[int] moves to the heap",
		"&example.com/list.Node{...} escapes to heap": "the list.Node moves to the heap",
		"new(int) escapes to heap":                    "the new int moves to the heap",
		"new(<node DYNAMICTYPE>) escapes to heap":     "the new value of a generic type moves to the heap",
		"make([]byte, size) escapes to heap":          "the slice's array moves to the heap",
		"make(Ints, n, n) escapes to heap":            "the slice's array moves to the heap",
		"make(map[string]int) escapes to heap":        "the map moves to the heap",
		"make(chan int) escapes to heap":              "the channel moves to the heap",
		"[]int{...} escapes to heap":                  "the slice's array moves to the heap",
		"map[string]int{} escapes to heap":            "the map moves to the heap",
		"func literal escapes to heap":                "the closure moves to the heap",
		"append escapes to heap":                      "the array that append grows moves to the heap",
		"... argument escapes to heap":                "the slice of variadic arguments moves to the heap",
		"string(b) escapes to heap":                   "the string made from b moves to the heap",
		"([]byte)(s) escapes to heap":                 "the copy of s as []byte moves to the heap",
		`s + "!" escapes to heap`:                     `the new string s + "!" moves to the heap`,
		"a + b escapes to heap":                       "the result of a + b moves to the heap",
		"t.m escapes to heap":                         "the value of t.m moves to the heap",
		"n escapes to heap":                           "the value of n" + box,
		"any(n) escapes to heap":                      "the value of n" + box,
		".autotmp_11 escapes to heap":                 "a temporary value" + box,
		"xs[i] escapes to heap":                       "the value of xs[i]" + box,
		"[3]int{...} escapes to heap":                 "the [3]int" + box,
		"struct { a int }{...} escapes to heap":       "the struct { a int }" + box,
		"struct {}{} escapes to heap":                 "the struct {} is stored in an interface, and takes no memory",
		`"a/b" escapes to heap`: `the constant "a/b" is stored in an interface, ` +
			`from read-only data`,
		"&node[go.shape.struct { list.a []int }]{} escapes to heap": "" +
			"the node[...] moves to the heap",
		"[]struct { a int }{} escapes to heap": "" +
			"the slice's array moves to the heap",
		"uint8(3) escapes to heap": "the constant uint8(3) is stored in an interface, " +
			"from read-only data",
		"time.Duration(3) escapes to heap":       "the value of time.Duration(3) is stored in an interface",
		"moved to heap: x":                       "the variable x moves to the heap",
		"moved to heap: bytes.b":                 "the variable b of the function inlined here moves to the heap",
		"moved to heap: .autotmp_8":              "the value that this line makes moves to the heap",
		"moved to heap: #state1":                 "the loop's variable #state1 moves to the heap",
		"leaking param: p":                       "what p points to may outlive the call",
		"leaking param content: p":               "what is reached through p may outlive the call",
		"leaking param: p to result ~r0 level=0": "p comes back in the result",
		"leaking param: p to result q level=1":   "what is reached through p comes back in the result q",
		"p does not escape":                      "p does not escape",
		"p does not escape, mutate, or call":     "p does not escape",
		"make([]byte, 64) does not escape":       "the slice's array stays on the stack",
		"make([]byte, n) does not escape": "the slice's array does not escape, and stays on the " +
			"stack up to 32 bytes",
		"make([]byte, n, 8) does not escape": "the slice's array stays on the stack",
		"append does not escape": "the array that append grows does not escape, and can stay on " +
			"the stack while it is small",
		"a + b does not escape":                           "a + b does not escape",
		"inlining call to io.ReadFull":                    "the call of io.ReadFull is inlined",
		"can inline f with cost 3 as: func() { }":         "f can be inlined",
		"cannot inline f: unhandled op DEFER":             "f cannot be inlined: unhandled op DEFER",
		"f.func1 capturing by ref: x (addr=true width=8)": "x is captured by a closure, which refers to it",
		"something that no release says yet":              "something that no release says yet",
	} {
		if got := Why(Diagnostic{Kind: kindOf(message), Message: message}); got != want {
			t.Errorf("%s\n got %s\nwant %s", message, got, want)
		}
	}
}

func TestSubject(t *testing.T) {
	for message, want := range map[string]string{
		"&T{...} escapes to heap":                           "&T{...}",
		"moved to heap: x":                                  "x",
		"leaking param: p to result ~r0 level=0":            "p",
		"leaking param content: p":                          "p",
		"x does not escape":                                 "x",
		"can inline (*T).m with cost 3 as: method(*T) {}":   "(*T).m",
		"cannot inline f: recursive":                        "f",
		"cannot inline f into g: repeated recursive cycle":  "f",
		"inlining call to sync.(*Mutex).Lock":               "sync.(*Mutex).Lock",
		"function f considered 'big'; reducing max cost of": "f",
		"index bounds check elided":                         "",
	} {
		if got := Subject(Diagnostic{Kind: kindOf(message), Message: message}); got != want {
			t.Errorf("%s\n got %q\nwant %q", message, got, want)
		}
	}
}

// TestStepWords tries every reason that the compiler's sources give, and one
// that they do not.
func TestStepWords(t *testing.T) {
	tests := []struct{ dst, from, want string }{
		{"{heap}", "&x (address-of)", "its address is taken: &x"},
		{"{heap}", "x (address-of)", "its address is taken: &x"},
		{"y", "m[k] (array literal element)", "stored in the array m[k]"},
		{"y", "x = p (assign)", "stored in x, which outlives it"},
		{"{heap}", "x = p (assign)", "stored in x, which outlives this frame"},
		{"{heap}", "x.f = p (assign)", "stored in x.f, which may be on the heap"},
		{"b", "a, b = p, q (assign-pair)", "stored in b, which outlives it"},
		{"y", "io.r, io.buf := input, w (assign-pair)", "passed to a call that is inlined here"},
		{"y", "~r0 = x (assign-pair)", "returned by a call that is inlined here"},
		{"y", "x, ok := v.(T) (assign-pair-dot-type)", "taken out of an interface by a type assertion"},
		{"y", "x, ok := m[k] (assign-pair-mapr)", "read out of a map"},
		{"y", "x, ok := <-c (assign-pair-receive)", "received from a channel"},
		{"{heap}", "io.ReadAtLeast(io.r, io.buf, 1) (call parameter)", "passed to io.ReadAtLeast, which may keep it"},
		{"y", "f(x) (call parameter)", "passed to f, which hands it on"},
		{"{heap}", "(*T).m(t, x) (call parameter)", "passed to (*T).m, which may keep it"},
		{"{heap}", "s.w.Write(x) (call parameter)", "passed to s.w.Write, a call whose target the compiler cannot see"},
		{"{heap}", "fs[0](x) (call parameter)", "passed to fs[0], a call whose target the compiler cannot see"},
		{"{heap}", "f()(x) (call parameter)", "passed to f(), a call whose target the compiler cannot see"},
		{"{heap}", "known.m(x) (call parameter)", "passed to known.m, a call whose target the compiler cannot see"},
		{"{heap}", "push[go.shape.int](x) (call parameter)", "passed to push, which may keep it"},
		{"{heap}", "append(xs, x) (call parameter)", "appended to xs, whose array may be on the heap"},
		{"{heap}", "panic(x) (call parameter)", "passed to panic"},
		{"{heap}", "func literal(x) (call parameter)", "passed to a closure, which may keep it"},
		{"{heap}", "f (callee operand)", "called through f, which the compiler cannot look into"},
		{"{heap}", "x (captured by a closure)", "x is captured by a closure, which keeps a copy"},
		{"{heap}", "append(xs, ys...) (appended slice...)",
			"its elements are appended to a slice, whose array may be on the heap"},
		{"{heap}", "append(xs, ys...) (appendee slice)", "append may copy its elements to an array on the heap"},
		{"{heap}", "copy(xs, ys) (copied slice)", "its elements are copied to a slice, whose array may be on the heap"},
		{"{heap}", "unsafe.Pointer(p) (conversion to unsafe.Pointer)",
			"converted to unsafe.Pointer: unsafe.Pointer(p)"},
		{"y", "x.f (dot)", "part of it is used: x.f"},
		{"y", "x.f (dot of pointer)", "read through a pointer: x.f"},
		{"y", "xs[0] (dot of pointer)", "an element of it is read: xs[0]"},
		{"y", "a[0] (fixed-array-index-of)", "an element of it is used: a[0]"},
		{"y", "*p (indirection)", "read through a pointer: *p"},
		{"y", "input (interface-converted)", "input is stored in an interface"},
		{"y", "~r0 (interface-converted)", "the result is stored in an interface"},
		{"{heap}", "m[k] (key of map put)", "stored as a key in m"},
		{"{heap}", "map[K]V{...} (map literal key)", "stored as a key in map[K]V{...}"},
		{"{heap}", "map[K]V{...} (map literal value)", "stored as a value in map[K]V{...}"},
		{"y", "for range a (range)", "its elements are ranged over"},
		{"y", "for range xs (range-deref)", "its elements are ranged over"},
		{"y", "x (reference)", ""},
		{"y", "h.Data (reflect.Header.Data)", "read from a slice or string header: h.Data"},
		{"~r0", "return x (return)", "returned to the caller, which outlives this frame"},
		{"{heap}", "c <- x (send)", "sent on the channel c"},
		{"y", "x[:n] (slice)", "sliced: x[:n]"},
		{"y", "[4]int(x) (slice-to-array)", "converted from a slice to an array: [4]int(x)"},
		{"y", "[]T{...} (slice-literal-element)", "stored in the slice []T{...}"},
		{"y", "... argument (slice-literal-element)", "passed in the slice of variadic arguments"},
		{"y", "new(T) (spill)", ""},
		{"y", "n (spill)", "n is stored in an interface"},
		{"{heap}", "func literal (spill)", "run by a go statement, or by a defer in a loop, when this line is over"},
		{"y", "T{...} (struct literal element)", "stored in a field of T{...}"},
		{"y", "case T: (switch case)", "becomes the variable of a type switch"},
		{"{heap}", "x (too aligned for stack)", "x needs a stricter alignment than the stack has"},
		{"{heap}", "x (too large for stack)", "x is too large for the stack"},
		{"{heap}", "make([]T, n) (non-constant size)", "the size of make([]T, n) is not known when compiling"},
		{"{heap}", "make([]T, 3) (zero-sized element)",
			"the elements of make([]T, 3) have no size, and such slices never get stack space"},
		{"{heap}", "f(uintptr(p)) (//go:uintptrescapes)", "passed to a function marked //go:uintptrescapes"},
		{"{heap}", "x (a reason of tomorrow)", "x (a reason of tomorrow)"},
	}
	for _, test := range tests {
		expr, _, _ := strings.Cut(test.from, " (")
		text := "# p\na.go:9:9: cannot inline f: x\na.go:9:9: cannot inline push: x\n" +
			"a.go:1:2: " + expr + " escapes to heap in f:\n" +
			"a.go:1:2:   flow: known ← x:\n" +
			"a.go:1:2:   flow: " + test.dst + " ← x:\n" +
			"a.go:1:2:     from " + test.from + " at a.go:3:4\n"
		ds, _ := Parse([]byte(text))
		last := ds[len(ds)-1].Flow
		step := last[len(last)-1]
		if step.Message != test.want || step.Line != 3 || step.Text != "from "+test.from {
			t.Errorf("%s into %s\n got %s (%s, line %d)\nwant %s", test.from, test.dst, step.Message, step.Text,
				step.Line, test.want)
		}
	}
}

// TestUnqualified: variables of functions that are inlined from another package read as they do in that package.
func TestUnqualified(t *testing.T) {
	const text = `# p
x.go:9:17: inlining call to bytes.(*Buffer).String
x.go:9:17: string(bytes.b.buf[bytes.b.off:]) escapes to heap in f:
x.go:9:17:   flow: {heap} ← &{storage for string(bytes.b.buf[bytes.b.off:])}:
x.go:9:17:     from string(bytes.b.buf[bytes.b.off:]) (spill) at x.go:9:17
x.go:9:17:     from bytes.b.text = string(bytes.b.buf[bytes.b.off:]) (assign) at x.go:9:17
x.go:9:17: string(bytes.b.buf[bytes.b.off:]) escapes to heap
`
	ds, _ := Parse([]byte(text))
	d := ds[len(ds)-1]
	if got, want := Why(d), "the string made from b.buf[b.off:] moves to the heap"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Reasons(d)[0].Message, "stored in b.text, which may be on the heap"; got != want {
		t.Errorf("the step is %q, want %q", got, want)
	}
	for expr, want := range map[string]string{
		"&errors.errorString{...}":           "&errors.errorString{...}", // a type
		"new(errors.errorString)":            "new(errors.errorString)",
		"make([]errors.frame, errors.n)":     "make([]errors.frame, n)",
		"errors.format(errors.err, 'e')":     "errors.format(err, 'e')", // a function
		"*errors.err":                        "*err",
		"(*errors.text)(&errors.str)":        "(*errors.text)(&str)",
		"errors.Join":                        "errors.Join",
		`"errors.err " + errors.err.text`:    `"errors.err " + err.text`,
		"x.errors.err + url.errors.err":      "x.errors.err + url.errors.err",
		"errors.err, errors.n := err, fmt.n": "err, n := err, fmt.n",
	} {
		if got := unqualified(expr, []string{"errors"}); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}

func TestReasons(t *testing.T) {
	const text = `# p
stream.go:15:26: inlining call to bytes.NewBuffer
stream.go:18:26: inlining call to io.ReadFull
stream.go:15:26: &bytes.Buffer{...} escapes to heap in replace:
stream.go:15:26:   flow: ~r0 ← &{storage for &bytes.Buffer{...}}:
stream.go:15:26:     from &bytes.Buffer{...} (spill) at stream.go:15:26
stream.go:15:26:     from ~r0 = &bytes.Buffer{...} (assign-pair) at stream.go:15:26
stream.go:15:26:   flow: input ← ~r0:
stream.go:15:26:     from input := ~r0 (assign) at stream.go:15:8
stream.go:15:26:   flow: io.r ← input:
stream.go:15:26:     from input (interface-converted) at stream.go:18:27
stream.go:15:26:     from io.r, io.buf := input, window[:end] (assign-pair) at stream.go:18:26
stream.go:15:26:   flow: {heap} ← io.r:
stream.go:15:26:     from io.ReadAtLeast(io.r, io.buf, len(io.buf)) (call parameter) at stream.go:18:26
stream.go:15:26: &bytes.Buffer{...} escapes to heap
`
	ds, _ := Parse([]byte(text))
	var got []string
	for _, s := range Reasons(ds[len(ds)-1]) {
		got = append(got, s.Message)
	}
	want := []string{
		"bytes.NewBuffer is inlined: this line makes the value itself",
		"input is stored in an interface",
		"io.ReadFull passes it to io.ReadAtLeast, which may keep it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
