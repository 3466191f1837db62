package tally_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"onthestack/exercises/exercise22"
)

// usual is how many operations have usual lines: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkLine counts a line about one of 20 doors, which all have been counted before and
// have names of more than the 32 bytes that a string may have on the stack. Each line has
// another time and another card. After the usual operations every other line is about any
// door and of any shape.
func BenchmarkLine(b *testing.B) {
	r := newRand(b)
	var names []string
	for i := range 20 {
		names = append(names, "door-"+strconv.Itoa(i)+"-of-the-north-wing-on-the-first-floor")
	}
	lines := make([][]byte, len(names))
	if b.N > usual {
		for i := range 100 {
			names = append(names, newDoor(r, 1+i)+"#"+strconv.Itoa(i))
		}
		for n := 64; n <= 64<<10; n *= 2 {
			names = append(names, strings.Repeat("z", n+1))
		}
		for _, name := range names[len(lines):] {
			lines = append(lines, appendLine(r, nil, name))
		}
	}
	var w tally.Tally
	counts := make([]int, len(names))
	line := make([]byte, 0, 1<<10)
	for i, name := range names {
		w.Line(append(append(line[:0], "07:58 "...), name...))
		counts[i]++
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		which := (clock + i) % 20
		if i > usual && i%2 == 1 {
			which = 20 + i/2%(len(names)-20)
			w.Line(lines[which])
		} else {
			line = strconv.AppendInt(line[:0], int64(clock+i), 10)
			line = append(append(line, ' '), names[which]...)
			line = append(line, " opened by card "...)
			w.Line(strconv.AppendInt(line, int64(i), 10))
		}
		counts[which]++
		if got := w.Count(names[which]); got != counts[which] {
			b.Fatalf("wrong count\n  door: %.60q\n  got:  %d\n  want: %d", names[which], got, counts[which])
		}
	}
}
