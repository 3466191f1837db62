package cachekey_test

import (
	"strings"
	"testing"

	"onthestack/exercises/exercise32"
)

// BenchmarkMeasureConfirmLines has lines of all kinds, of which a few are longer than any buffer that
// may be made without knowing them: the checker allows 256 KiB ahead of the operations. The first line
// is none of them.
func BenchmarkMeasureConfirmLines(b *testing.B) {
	r := newRand(b)
	lines := newLines(r, 20+newSize(r, 300))
	for range 1 + r.IntN(3) {
		lines[1+r.IntN(len(lines)-1)] = newLine(r, r.IntN(20), 500) + strings.Repeat("z", 260<<10+newSize(r, 48<<10))
	}
	confirm(b, lines)
}

// BenchmarkMeasureConfirmFew has one line or two, which are shorter than that.
func BenchmarkMeasureConfirmFew(b *testing.B) {
	r := newRand(b)
	lines := newLines(r, 1+r.IntN(2))
	lines[0] += strings.Repeat("z", newSize(r, 1000))
	confirm(b, lines)
}

// confirm measures a key that compares each request with the one that it should get.
func confirm(b *testing.B, lines []string) {
	requests := make([]cachekey.Request, len(lines))
	for i, line := range lines {
		requests[i] = cachekey.Parse(line)
	}
	turns, calls := 0, 0
	next := newLoop(b)
	counted := loop(func() bool {
		if calls != turns {
			b.Fatalf("not one call in each operation\n  got:  %d calls\n  want: %d calls", calls, turns)
		}
		if !next() {
			return false
		}
		turns++
		return true
	})
	cachekey.Measure(counted, lines, func(buf []byte, r cachekey.Request) []byte {
		if turns == 0 {
			return appendKey(buf, r)
		}
		want := requests[calls%len(requests)]
		if !same(r, want) || len(buf) > 0 {
			b.Fatalf("wrong request or buffer in operation %d\n  got:  %.80q, %d bytes\n  want: %.80q, 0 bytes",
				calls, r, len(buf), want)
		}
		calls++
		return appendKey(buf, r)
	})
	if calls != b.N {
		b.Fatalf("not one call in each operation\n  got:  %d calls\n  want: %d calls", calls, b.N)
	}
}
