package verdict_test

import (
	"strings"
	"testing"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// causes has a function for each cause of an allocation. Its one line that allocates has to get the given kind and
// reason, and calls the given functions of the runtime to allocate, most objects first; "" where they differ between
// releases.
var causes = []struct {
	name, body string
	kind       why.Kind
	why, by    string
}{
	{"Make", "b := make([]byte, n)\nreturn int(b[n-1])", why.SizeAtRunTime, "does not escape, yet allocates: its " +
		"size is known only at run time, and 64 bytes is over the 32 that the compiler keeps ready on the stack",
		"runtime.makeslice"},
	{"Kept", "bytesSink = make([]byte, n)\nreturn 0", why.EscapesToHeap, "the slice's array moves to the heap",
		"runtime.makeslice"},
	{"Copied", "b := make([]byte, n)\ncopy(b, raw)\nbytesSink = b\nreturn 0", why.EscapesToHeap,
		"the slice's array moves to the heap", "runtime.makeslicecopy"},
	{"Cloned", "b := make([]byte, len(raw))\ncopy(b, raw)\nbytesSink = b\nreturn 0", why.EscapesToHeap,
		"the slice's array moves to the heap", "runtime.mallocgc"},
	{"Own", "room := bytesSink[:0:0]\nroom = append(room, text...)\nreturn len(room)", why.AppendGrew,
		"does not escape, yet allocates: append grew the slice beyond what the compiler keeps ready on the stack",
		"runtime.growslice"},
	// The compiler keeps room for one array, which the first group has.
	{"Groups", "var groups [2][]int\nfor i := range 2 {\ngroups[i] = append(groups[i], n)\n}\nreturn groups[1][0]",
		why.AppendGrew, "does not escape, yet allocates: append grew the slice, and found no room that the " +
			"compiler keeps ready on the stack", "runtime.growslice"},
	{"Returned", "return len(upTo(3))", why.AppendGrew, "the array that append filled on the stack is copied to " +
		"the heap, because the slice outlives this frame", "runtime.moveSliceNoCapNoScan"},
	{"Concat", "return count(text + text[1:])", why.StringConcatenation, "does not escape, yet allocates: the " +
		"concatenation makes a new string, and 128 bytes is over the 32 that the compiler keeps ready on the stack",
		"runtime.concatstring2"},
	{"Add", "s := \"\"\nfor range 3 {\ns += text\n}\nreturn len(s)", why.StringConcatenation,
		"not announced by the compiler: adding to a string makes a new one", "runtime.concatstring2"},
	{"Bytes", "b := []byte(text)\nb[0] = 'x'\nreturn int(b[n-1])", why.Conversion,
		"does not escape, yet allocates: the conversion copies, and 64 bytes is over the 32 that the compiler " +
			"keeps ready on the stack",
		"runtime.stringtoslicebyte"},
	{"String", "return count(string(raw))", why.Conversion,
		"does not escape, yet allocates: the conversion copies, and 64 bytes is over the 32 that the compiler " +
			"keeps ready on the stack", "runtime.slicebytetostring"},
	{"Runes", "r := []rune(text)\nr[0] = 'x'\nreturn int(r[n-1])", why.Conversion,
		"does not escape, yet allocates: the conversion copies, and more than 32 runes do not fit what the " +
			"compiler keeps ready on the stack",
		"runtime.stringtoslicerune"},
	// A conversion in a concatenation makes no copy of its own.
	{"Both", "return count(\"<\" + string(raw))", why.StringConcatenation, "does not escape, yet allocates: the " +
		"concatenation makes a new string, and 80 bytes is over the 32 that the compiler keeps ready on the stack",
		"runtime.concatstring2"},
	{"Map", "m := map[int]int{}\nfor i := range 9 {\nm[i] = i\n}\nreturn m[n]", why.MapGrew,
		"not announced by the compiler: storing into a map may make it grow", "runtime.mapassign_fast64"},
	{"Hint", "m := make(map[int]int, n)\nreturn m[n]", why.MapGrew,
		"does not escape, yet allocates: the map has more entries than fit the group that the compiler keeps on " +
			"the stack",
		"runtime.makemap"},
	{"SmallMap", "anySink = map[int]int{}\nreturn 0", why.EscapesToHeap, "the map moves to the heap",
		"runtime.makemap_small"},
	{"Channel", "c := make(chan int, 1)\nc <- 1\nreturn <-c", why.EscapesToHeap,
		"a channel is always made on the heap", "runtime.makechan"},
	{"Callee", "return len(strings.Repeat(text, 2))", why.Callee,
		"allocated inside strings.Repeat, which is called here", "runtime.mallocgc"},

	// Objects of known size, on either side of the 80 bytes up to which Go 1.27 makes them by functions for their size
	// class.
	{"Tiny", "intSink = new(int)\nreturn 0", why.EscapesToHeap, "the new int moves to the heap",
		"runtime.newobject"},
	{"Pointer", "anySink = new(*int)\nreturn 0", why.EscapesToHeap, "the new *int moves to the heap",
		"runtime.newobject"},
	{"Struct", "anySink = &struct{ p *int; n int }{}\nreturn 0", why.EscapesToHeap,
		"the struct { p *int; n int } moves to the heap", "runtime.newobject"},
	{"Array80", "anySink = new([10]int)\nreturn 0", why.EscapesToHeap, "the new [10]int moves to the heap",
		"runtime.newobject"},
	{"Array88", "anySink = new([11]int)\nreturn 0", why.EscapesToHeap, "the new [11]int moves to the heap",
		"runtime.newobject"},
	{"Pointers80", "anySink = new([10]*int)\nreturn 0", why.EscapesToHeap, "the new [10]*int moves to the heap",
		"runtime.newobject"},
	{"Pointers88", "anySink = new([11]*int)\nreturn 0", why.EscapesToHeap, "the new [11]*int moves to the heap",
		"runtime.newobject"},
	{"Literal", "intsSink = []int{n, n}\nreturn 0", why.EscapesToHeap, "the slice's array moves to the heap",
		"runtime.newobject"},
	{"Variable", "x := n\nintSink = &x\nreturn 0", why.MovedToHeap, "the variable x moves to the heap",
		"runtime.newobject"},
	// The compiler makes one object of several small variables, since Go 1.27 by a function for its size class.
	{"Variables", "x, y := n, n\nintSink, anySink = &x, &y\nreturn 0", why.MovedToHeap,
		"the variable x moves to the heap; the variable y moves to the heap", ""},
	{"Variadic", "keep(n, n)\nreturn 0", why.Variadic, "the slice of variadic arguments moves to the heap",
		"runtime.newobject"},
	{"Closure", "x := n\nfuncSink = func() int { return x }\nreturn 0", why.Closure,
		"the closure moves to the heap",
		"runtime.newobject"},
	{"LargeClosure", "x := large\nfuncSink = func() int { return int(x[0]) }\nreturn 0", why.Closure,
		"the closure moves to the heap", "runtime.newobject"},
	{"MethodValue", "funcSink = one.get\nreturn 0", why.EscapesToHeap, "the value of one.get moves to the heap",
		"runtime.newobject"},
	{"Goroutine", "go send(n)\nreturn <-sent", why.Goroutine, "the closure moves to the heap", "runtime.newobject"},
	{"LargeGoroutine", "go sendArray(large)\nreturn <-sent", why.Goroutine, "the closure moves to the heap",
		"runtime.newobject"},
	{"GenericGoroutine", "go sendAny(text)\nreturn <-sent", why.Goroutine, "the closure moves to the heap",
		"runtime.newobject"},
	{"Defer", "for i := range 2 {\ndefer send(i)\n}\nreturn 0", why.Closure, "the closure moves to the heap",
		"runtime.newobject"},

	// Interfaces: a value is copied by a function of the runtime for its kind, whatever its size.
	{"BoxedInt", "anySink = n * 1000\nreturn 0", why.InterfaceBoxing,
		"the value of n * 1000 is boxed on the heap, to fit in an interface", "runtime.convT64"},
	{"BoxedString", "anySink = text\nreturn 0", why.InterfaceBoxing,
		"the value of text is boxed on the heap, to fit in an interface", "runtime.convTstring"},
	{"BoxedSlice", "anySink = raw\nreturn 0", why.InterfaceBoxing,
		"the value of raw is boxed on the heap, to fit in an interface", "runtime.convTslice"},
	{"BoxedArray", "anySink = large\nreturn 0", why.InterfaceBoxing,
		"the value of large is boxed on the heap, to fit in an interface", "runtime.convTnoptr"},

	// The library.
	{"Timer", "t := time.NewTimer(time.Hour)\nt.Stop()\nreturn 0", why.Callee,
		"allocated inside time.NewTimer, which is called here", "runtime.makechan runtime.newobject"},
	{"Error", "anySink = errors.New(text)\nreturn 0", why.EscapesToHeap, "the errors.errorString moves to the heap",
		"runtime.newobject"},
	{"Pool", "pool.Put(raw)\nreturn len(pool.Get().([]byte))", why.InterfaceBoxing,
		"the value of raw is boxed on the heap, to fit in an interface", "runtime.convTslice"},
	{"Stack", "_, _, line, _ := runtime.Caller(0)\nreturn line", why.Callee,
		"allocated inside runtime.Caller, which is called here", "runtime.Caller"},
	{"Buffer", "var b bytes.Buffer\nb.WriteString(text)\nreturn b.Len()", why.Callee,
		"allocated inside bytes.(*Buffer).WriteString, which is called here", "runtime.makeslice"},
	{"BufferKept", "anySink = bytes.NewBuffer(raw)\nreturn 0", why.EscapesToHeap,
		"the bytes.Buffer moves to the heap",
		"runtime.newobject"},
}

const causesHead = `package c

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"sync"
	"time"
)

var (
	n, text = 64, strings.Repeat("x", 64)
	raw     = []byte(text)
	large   [100]byte
	pool    sync.Pool
	one     = &value{1}
	sent    = make(chan int, 2)

	// Sinks: what is stored here is on the heap.
	bytesSink []byte
	intSink   *int
	intsSink  []int
	anySink   any
	funcSink  func() int
)

type value struct{ n int }

func (v *value) get() int { return v.n }

//go:noinline
func count(s string) int { return len(s) }

//go:noinline
func keep(list ...int) { intsSink = list }

//go:noinline
func upTo(n int) []int {
	var s []int
	for i := range n {
		s = append(s, i)
	}
	return s
}

func send(x int) {
	select {
	case sent <- x:
	default:
	}
}

func sendArray(x [100]byte) { sent <- int(x[0]) }

func sendAny[T any](x T) { sent <- 1 }

`

func TestCauses(t *testing.T) { testCauses(t, native()) }

// TestProofCausesOnReleases is TestCauses on both engines and the other minor releases of Go that exercises are proved
// on.
func TestProofCausesOnReleases(t *testing.T) { onOtherReleases(t, false, testCauses) }

// TestNightlyCausesOnReleases is TestProofCausesOnReleases on another patch of the installed minor release, too.
func TestNightlyCausesOnReleases(t *testing.T) { onOtherReleases(t, true, testCauses) }

func testCauses(t *testing.T, c verdict.Checker) {
	var source, tests strings.Builder
	source.WriteString(causesHead)
	tests.WriteString("package c_test\n\nimport (\n\t\"testing\"\n\n\t\"onthestack/exercises/c\"\n)\n\n")
	for _, c := range causes {
		source.WriteString("//go:noinline\nfunc " + c.name + "() int {\n" + c.body + "\n}\n\n")
		tests.WriteString("func Benchmark" + c.name + "(b *testing.B) {\n\tfor range b.N {\n\t\tc." +
			c.name + "()\n\t}\n}\n\n")
	}
	v := measure(t, c, "causes", "onthestack/exercises/c", map[string][]byte{"c.go": []byte(source.String()),
		"c_test.go": []byte(tests.String())})
	for i, c := range causes {
		var sum float64
		for _, a := range v.Allocations {
			if a.Benchmark != "Benchmark"+c.name {
				continue
			}
			sum += a.AllocsPerOp
			if a.Kind != c.kind || a.Why != c.why {
				t.Errorf("%s: %q says %s, %q, want %s, %q", c.name, a.Code, a.Kind, a.Why, c.kind, c.why)
			}
			var functions []string
			for _, cause := range a.Causes {
				functions = append(functions, cause.Func)
			}
			if by := strings.Join(functions, " "); c.by != "" && by != c.by {
				t.Errorf("%s: %q allocates by %s, want %s", c.name, a.Code, by, c.by)
			}
		}
		if b := v.Benchmarks[i]; b.AllocsPerOp == 0 || sum != b.AllocsPerOp {
			t.Errorf("%s: lines allocate %v, the benchmark says %v allocs/op", c.name, sum, b.AllocsPerOp)
		}
	}
}
