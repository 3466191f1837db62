package escape

import "testing"

var (
	kept any
	size = func(n int) int { return n } // not inlined: what it returns is unknown when compiling
)

// TestFacts measures what the words of Why state about the running release.
func TestFacts(t *testing.T) {
	long := make([]byte, 33)
	short := long[:32]
	number := size(1000)
	for _, fact := range []struct {
		name   string
		allocs float64
		do     func()
	}{
		{"a constant in an interface", 0, func() { kept = 1000 }},
		{"a constant string in an interface", 0, func() { kept = "constant" }},
		{"an empty struct in an interface", 0, func() { kept = struct{}{} }},
		{"a number in an interface", 1, func() { kept = number }},
		{"a slice of 32 bytes", 0, func() { use(make([]byte, size(32))) }},
		{"a slice of 33 bytes", 1, func() { use(make([]byte, size(33))) }},
		{"a string of 32 bytes", 0, func() { read(string(short)) }},
		{"a string of 33 bytes", 1, func() { read(string(long)) }},
		{"a map of 8 entries", 0, func() { fill(8) }},
	} {
		if got := testing.AllocsPerRun(100, fact.do); got != fact.allocs {
			t.Errorf("%s: %v allocs, want %v", fact.name, got, fact.allocs)
		}
	}
	if got := testing.AllocsPerRun(100, func() { fill(9) }); got == 0 {
		t.Error("a map of 9 entries: 0 allocs, want some")
	}
}

//go:noinline
func use(b []byte) { b[0]++ }

//go:noinline
func read(s string) int { return len(s) }

func fill(n int) int {
	m := make(map[int]int)
	for i := range n {
		m[i] = i
	}
	return len(m)
}
