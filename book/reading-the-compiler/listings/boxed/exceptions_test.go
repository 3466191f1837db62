package main

import "testing"

var (
	letter byte = 'x'
	isOpen      = true
	size   struct{}
	known  = 255
	large  = 256
	zero   float64
	half   = 0.5
	empty  string
	name   = "door"
	none   []int
	some   = []int{1}
	ticket = new(int)
)

// TestExceptions tests which values need no memory to be in an interface, although the compiler's report says that they
// escape to the heap: the ones that the page names. For the pointer it says nothing.
func TestExceptions(t *testing.T) {
	for _, test := range []struct {
		name  string
		store func()
		want  float64 // allocations
	}{
		{"a constant", func() { last = "allocs" }, 0},
		{"a value of one byte", func() { last = letter }, 0},
		{"a bool", func() { last = isOpen }, 0},
		{"a value without size", func() { last = size }, 0},
		{"255", func() { last = known }, 0},
		{"256", func() { last = large }, 1},
		{"the number 0", func() { last = zero }, 0},
		{"0.5", func() { last = half }, 1},
		{"an empty string", func() { last = empty }, 0},
		{"a string", func() { last = name }, 1},
		{"a nil slice", func() { last = none }, 0},
		{"a slice", func() { last = some }, 1},
		{"a pointer", func() { last = ticket }, 0},
	} {
		if got := testing.AllocsPerRun(100, test.store); got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}
