// Package counts is programs whose allocations are known: the comment behind a line says what the line allocates in an operation,
// and a line without such a comment allocates nothing. Each exported function is an operation. What is known is from the runtime's
// size classes (sizeclasses.go) and from what package runtime and the libraries do.
package counts

import "strings"

// Sinks: what is stored here is on the heap.
var (
	bytesSink   []byte
	intsSink    []int
	stringSink  string
	anySink     any
	anysSink    []any
	pointSink   *point
	wordSink    *int64
	otherSink   *int64
	funcSink    func() int
	mapSink     map[int]int
	pointerSink **int
	bigSink     *[128]int64
	arraySink   *[16]int64
	runeSink    []rune
	pairSink    *[2]int64
	byteSink    *byte
)

// Values that no compiler knows.
var (
	seven  = 7
	large  = 1000
	text   = strings.Repeat("x", 64)
	short  = "short"
	raw    = []byte(text)
	runes  = []rune(text)
	values = []int{3, 1, 2}
)

type point struct{ x, y, z, w int64 }

// Slices.

func MakeConstant() { bytesSink = make([]byte, 64) }            // 1 alloc, 64 B
func MakeRounded()  { bytesSink = make([]byte, 65) }            // 1 alloc, 80 B
func MakeVariable() { b := make([]byte, large); b[0] = 1 }      // 1 alloc, 1024 B
func MakeFew()      { b := make([]byte, seven); b[0] = 1 }      // 7 bytes fit the 32 on the stack
func MakeOnStack()  { b := make([]byte, 64); b[seven] = 1 }     // so do 64 that are known
func MakeTooLarge() { b := make([]byte, 65<<10); b[0] = 1 }     // 1 alloc, 73728 B
func MakeLarge()    { bytesSink = make([]byte, 1<<20) }         // 1 alloc, 1048576 B
func MakePages()    { bytesSink = make([]byte, 33_000) }        // 1 alloc, 40960 B
func MakeOfEmpty()  { anySink = make([]struct{}, seven) }       // 1 alloc, 24 B
func SliceLiteral() { intsSink = []int{seven, 2, 3} }           // 1 alloc, 24 B
func MakePointers() { anySink = make([]*int, seven) }           // 2 allocs, 88 B
func MakeHeader()   { anysSink = make([]any, 64) }              // 1 alloc, 1152 B
func CloneAtOnce()  { bytesSink = append([]byte(nil), raw...) } // 1 alloc, 64 B

func AppendGrows() {
	s := make([]int, 0, 4) // 1 alloc, 32 B
	intsSink = s
	for i := range 9 {
		s = append(s, i) // 2 allocs, 192 B
	}
}

func AppendWithRoom() {
	s := make([]int, 0, 9) // 1 alloc, 80 B
	for i := range 9 {
		s = append(s, i)
	}
	intsSink = s
}

func TwoDimensions() {
	rows := make([][]int, 0, 4) // 1 alloc, 96 B
	for range 4 {
		rows = append(rows, make([]int, 8)) // 4 allocs, 256 B
	}
	anysSink[0] = nil
	_ = rows
	anySink = &rows[0] // it escapes
}

// Values.

func NewStruct()     { pointSink = new(point) }                  // 1 alloc, 32 B
func StructLiteral() { pointSink = &point{x: 1} }                // 1 alloc, 32 B
func StructOnStack() { p := &point{x: 1}; seven = int(p.x) + 6 } // does not escape
func StructCopied()  { p := *pointOf(); seven = int(p.x) + 7 }   // copied to the stack
func Pointer()       { pointerSink = new(*int) }                 // 1 alloc, 8 B
func Object()        { bigSink = new([128]int64) }               // 1 alloc, 1024 B
func Embedded()      { anySink = (&outer{}).self() }             // 1 alloc, 48 B

var onePoint point

func pointOf() *point { return &onePoint }

type inner struct{ a, b [2]int64 }

func (i *inner) self() *inner { return i }

type outer struct {
	inner
	name string
}

func MovedArray() {
	var a [16]int64 // 1 alloc, 128 B
	arraySink = &a
}

func MovedParameter() { moved(point{x: 1}) }

//go:noinline
func moved(p point) { // 1 alloc, 32 B
	pointSink = &p
}

func Returned() { pointSink = returned() }

// It is inlined: the line is its own all the same.
func returned() *point {
	return &point{y: 2} // 1 alloc, 32 B
}

func Recursive() { anySink = list(5) } // its nodes are made below

type node struct{ next *node }

func list(n int) *node {
	if n < 0 {
		return nil
	}
	return &node{list(n - 1)} // 6 allocs, 48 B
}

func Generic() { anySink = box(point{}) }

//go:noinline
func box[T any](v T) *T { // 1 alloc, 32 B
	return &v
}

func GenericTwice() {
	anySink = pair(int64(1), point{})
	anySink = pair("a", "b")
}

//go:noinline
func pair[A, B any](a A, b B) any {
	return &struct { // 2 allocs, 80 B
		a A
		b B
	}{a, b}
}

// Functions.

func Closure() {
	n := seven
	funcSink = func() int { return n } // 1 alloc, 16 B
}

func ClosureByReference() {
	n := large                              // 1 alloc, 8 B
	funcSink = func() int { n++; return n } // 1 alloc, 16 B
}

func ClosureOnStack() {
	n := seven
	f := func() int { return n }
	seven = f()
}

func MethodValue() {
	p := &onePoint
	funcSink = p.sum // 1 alloc, 16 B
}

func (p *point) sum() int { return int(p.x + p.y) }

func MethodOfEmbedded() { seven = 7 + (&outer{}).inner.total() }

func (i *inner) total() int { return int(i.a[0] + i.b[1]) }

func Variadic() { variadic(seven, 2, 3) } // 1 alloc, 24 B

//go:noinline
func variadic(list ...int) { intsSink = list }

func VariadicStays() { count(seven, 2, 3) }

//go:noinline
func count(list ...int) int { return len(list) }

func Nested() {
	inner := func() {
		deep := func() {
			pointSink = &point{z: 3} // 1 alloc, 32 B
		}
		deep()
	}
	inner()
}

func DeferInLoop() {
	for i := range 3 {
		defer drop(i) // 3 allocs, 48 B
	}
}

//go:noinline
func drop(int) {}

func DeferOnce() { defer drop(1) }

func RangeOverFunc() {
	for v := range three {
		anySink = &point{x: int64(v)} // 3 allocs, 96 B
	}
}

func three(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

// Interfaces.

func BoxSmall()    { anySink = seven }                             // a byte's worth of integers is ready
func BoxConstant() { anySink = 1234 }                              // constants are ready
func BoxPointer()  { anySink = &onePoint }                         // a pointer needs no box
func BoxStruct()   { anySink = onePoint }                          // 1 alloc, 32 B
func BoxString()   { anySink = text }                              // 1 alloc, 16 B
func BoxSlice()    { anySink = raw }                               // 1 alloc, 24 B
func BoxZero()     { anySink = empty }                             // the zero value is ready
func AnySlice()    { anysSink = []any{&onePoint, text, onePoint} } // 3 allocs, 96 B

var empty string
