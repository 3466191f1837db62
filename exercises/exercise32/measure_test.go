package cachekey_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise32"
)

// A recorder writes down what Measure does.
type recorder struct {
	t          *testing.T
	operations int // that the loop has
	turns      int // calls of Loop
	calls      []cachekey.Request
	perTurn    []int // calls in each operation
	last       []byte
	key        cachekey.Key
}

func (r *recorder) Loop() bool {
	r.turns++
	if r.turns <= r.operations {
		r.perTurn = append(r.perTurn, 0)
	}
	return r.turns <= r.operations
}

func (r *recorder) append(buf []byte, request cachekey.Request) []byte {
	r.t.Helper()
	if len(buf) > 0 {
		r.t.Fatalf("the buffer is not empty\n  got:  %.60q\n  want: \"\"", buf)
	}
	switch {
	case r.turns > r.operations:
		r.t.Fatalf("a call after the loop\n  operations: %d\n  request:    %.80q", r.operations, request)
	case r.turns > 0:
		r.calls = append(r.calls, request)
		r.perTurn[r.turns-1]++
	}
	key := r.key(buf, request)
	r.last = append(r.last[:0], key...)
	return key
}

// check lets Measure measure a key, over a number of operations.
func check(t *testing.T, lines []string, operations int, key cachekey.Key) {
	t.Helper()
	r := &recorder{t: t, operations: operations, key: key}
	got := cachekey.Measure(r, lines, r.append)
	if r.turns != operations+1 {
		t.Fatalf("the loop is not run to its end\n  got:  %d calls of Loop\n  want: %d calls", r.turns, operations+1)
	}
	for i, n := range r.perTurn {
		if n != 1 {
			t.Fatalf("not one call in an operation\n  operation: %d of %d\n  got:       %d calls\n  want:      1 call",
				i+1, operations, n)
		}
	}
	for i, got := range r.calls {
		if want := cachekey.Parse(lines[i%len(lines)]); !same(got, want) {
			t.Fatalf("wrong request\n  operation: %d of %d, with %d lines\n  got:       %.80q\n  want:      %.80q",
				i+1, operations, len(lines), got, want)
		}
	}
	if string(got) != string(r.last) {
		t.Fatalf("not the last key\n  got:  %.60q\n  want: %.60q", got, r.last)
	}
}

// same reports whether two requests are equal.
func same(a, b cachekey.Request) bool {
	return a.Method == b.Method && a.Path == b.Path && slices.Equal(a.Tags, b.Tags)
}

// ownMemory returns keys that have memory of their own, some of which is nil.
func ownMemory(_ []byte, r cachekey.Request) []byte {
	return append([]byte(nil), r.Path...)
}

// withRest returns keys that have room for many more bytes.
func withRest(buf []byte, r cachekey.Request) []byte {
	return append(append(make([]byte, 0, 1000), buf...), r.Path...)
}

// keys are functions to measure.
func keys() []cachekey.Key { return []cachekey.Key{appendKey, ownMemory, withRest} }

func TestMeasure(t *testing.T) {
	for _, lines := range [][]string{
		{"GET /"},
		{"GET / a=b"},
		{"GET /users/1 tenant=acme region=eu", "PUT /users/1", "GET /users/2 tenant=acme"},
		{"GET /a x", "GET /a x"}, // the same line twice is two lines
		{"", " ", "  ", "GET", "GET  x", "GET / "},
	} {
		for _, operations := range []int{1, 2, 3, 4, 5, 6, 7, 12, 100} {
			for _, key := range keys() {
				check(t, lines, operations, key)
			}
		}
	}
}

func TestRandomLines(t *testing.T) {
	r := newRand(t)
	for range 100 {
		lines := newLines(r, newSize(r, 200))
		check(t, lines, 1+r.IntN(3*len(lines)), keys()[r.IntN(3)])
	}
}

// Long lines, lines with many tags, and many lines.
func TestLongLines(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<18; n *= 8 {
		n := n + r.IntN(n)
		long := strings.Repeat("x", n)
		check(t, []string{"GET /", "GET /" + long, "GET /" + strings.Repeat(" a", n), long + " / "}, 9, appendKey)
	}
	for n := 1; n <= 1<<13; n *= 8 {
		lines := newLines(r, n+r.IntN(n))
		check(t, lines, len(lines)+r.IntN(2*len(lines)), appendKey)
	}
}

// More lines than 128 Ki, which take turns once.
func TestManyLines(t *testing.T) {
	lines := make([]string, 1<<17+100)
	for i := range lines {
		lines[i] = "GET /" + strconv.Itoa(i)
	}
	check(t, lines, len(lines)+1, appendKey)
}

// Keys that are measured in another key do not disturb each other.
func TestNested(t *testing.T) {
	r := newRand(t)
	lines := newLines(r, 7)
	check(t, newLines(r, 5), 12, func(buf []byte, request cachekey.Request) []byte {
		check(t, lines, 9, appendKey)
		return appendKey(buf, request)
	})
}
