package why

import (
	"maps"
	"testing"

	"onthestack/internal/escape"
)

func TestTinyAllocSites(t *testing.T) {
	const source = `package x

import "strconv"

func F() { g(); _ = T{} }
func g() { sink = new(int); _ = append(set, 1) }
func h() { sink = new(int) }
type T struct{}
func (T) String() string { return strconv.Itoa(9) }
type U struct{}
func (U) String() string { return strconv.Itoa(9) }
func Errorf() { sink = new(int) }
var sink *int
var set = strings(func() { set = nil; k(1) })
func k(int) { other() }
func strings(func()) []int { return nil }
func other() { _ = func() { sink = new(int) } }
func methods(l interface{ Loop(int) }) { l.Loop(len(string(rune(1)))) }
`
	const tests = `package x_test

import (
	"fmt"
	"testing"

	"onthestack/x"
)

func BenchmarkF(b *testing.B) {
	for range b.N { x.F(); fmt.Errorf("") }
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() { b.ReportAllocs() }
}

func BenchmarkMethods(b *testing.B) {
	for b.Loop() { methods(b) }
}
`
	p := &Package{ImportPath: "onthestack/x", Files: map[string][]byte{"x.go": []byte(source),
		"x_test.go": []byte(tests),
		"broken.go": []byte("package")}}
	var escapes []escape.Diagnostic
	for line, message := range map[int]string{6: "new(int) escapes to heap", 7: "new(int) escapes to heap",
		12: "new(int) escapes to heap", 17: "func literal escapes to heap"} {
		escapes = append(escapes, escape.Diagnostic{File: "x.go", Line: line, Kind: escape.Escape, Message: message})
	}
	p.Diagnostics = escapes
	g := newCallGraph(p)
	for _, test := range []struct {
		benchmark string
		own       bool
		want      map[sourceLine]int
	}{
		// BenchmarkF reaches neither h, nor the method of U, nor Errorf, since the Errorf that it calls belongs to
		// another package. It reaches the method of T, because it uses a T.
		{"BenchmarkF", false, map[sourceLine]int{{"x.go", 6}: 3, {"x.go", 9}: 2, {"x_test.go", 11}: 2}},
		{"BenchmarkF", true, map[sourceLine]int{{"x.go", 6}: 3, {"x.go", 9}: 2}},
		{"BenchmarkLoop", false, map[sourceLine]int{}},
		{"BenchmarkNone", false, map[sourceLine]int{}},
		// A method of the package's own that is named like one of *testing.B may allocate.
		{"BenchmarkMethods", false, map[sourceLine]int{{"x.go", 18}: 2}},
	} {
		p.Exercise = test.own
		got := g.tinyAllocSites(test.benchmark)
		if !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.benchmark, got, test.want)
		}
	}
}
