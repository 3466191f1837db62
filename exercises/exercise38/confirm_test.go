package tally_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise38"
)

// BenchmarkLineConfirmDoors counts lines about many doors with names of all kinds and
// lengths.
func BenchmarkLineConfirmDoors(b *testing.B) {
	r := newRand(b)
	lines := make([][]byte, 211)
	for i := range lines {
		door := newDoor(r, newSize(r, 60)) + "#" + strconv.Itoa(i)
		switch {
		case i == 0:
			door += strings.Repeat("z", newSize(r, 1<<17))
		case i%10 == 0:
			door += strings.Repeat("z", newSize(r, 1<<13))
		}
		lines[i] = appendLine(r, nil, door)
	}
	count(b, lines)
}

// BenchmarkLineConfirmLines counts lines of all lengths about one door. The long part is
// before, in or after the door.
func BenchmarkLineConfirmLines(b *testing.B) {
	r := newRand(b)
	sizes := newSizes(r, 1<<18)
	lines := make([][]byte, 997)
	for i := range lines {
		n := newSize(r, 100)
		if i < 8*len(sizes) { // few are long, and take most of the time
			n = sizes[i/8]
		}
		field, blanks := strings.Repeat("y", n), strings.Repeat(" \t", n/2+1)
		lines[i] = []byte([]string{
			field + " garage", "07:58 garage " + field, blanks + "07:58 garage", "07:58" + blanks + "garage",
			"07:58 garage" + blanks, field + blanks + "garage" + blanks + field,
			"07:58 garage" + strings.Repeat(" x", n/2), field,
		}[i%8])
	}
	count(b, lines)
}

// count counts a line in each operation, all of which have been counted before, and compares
// the counts in the end.
func count(b *testing.B, lines [][]byte) {
	var t tally.Tally
	for _, line := range lines {
		t.Line(line)
	}
	n := 0
	for b.Loop() {
		t.Line(lines[n%len(lines)])
		n++
	}
	b.StopTimer()
	counts := map[string]int{}
	for i, line := range lines {
		if door := doorOf(line); door != "" {
			counts[door] += 1 + (n-i+len(lines)-1)/len(lines)
		}
	}
	for door, want := range counts {
		if got := t.Count(door); got != want {
			b.Fatalf("wrong count in the benchmark\n  door: %.40q, %d bytes\n  got:  %d\n  want: %d", door, len(door), got, want)
		}
	}
}

// doorOf returns the second field of a line, "" if there is none.
func doorOf(line []byte) string {
	var field []byte
	for range 2 {
		line = bytes.TrimLeft(line, " \t")
		end := bytes.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		field, line = line[:end], line[end:]
	}
	return string(field)
}
