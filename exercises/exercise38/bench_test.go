package tally_test

import (
	"strconv"
	"testing"

	"onthestack/exercises/exercise38"
)

// BenchmarkLine counts lines about 20 doors, which all have been counted before. Their names
// are longer than the 32 bytes that a string may have on the stack.
func BenchmarkLine(b *testing.B) {
	lines := make([][]byte, 20)
	for i := range lines {
		door := "door-" + strconv.Itoa(10+i) + "-of-the-north-wing-on-the-first-floor"
		lines[i] = []byte("07:58 " + door + " opened by card 88")
	}
	var t tally.Tally
	for _, line := range lines {
		t.Line(line)
	}
	i := 0
	for b.Loop() {
		t.Line(lines[i%len(lines)])
		i++
	}
}
