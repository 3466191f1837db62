package harbor_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"onthestack/exercises/exercise27"
)

// usual is how many operations have usual lines: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// BenchmarkParse reads a line of 4 KiB in each operation, and keeps the call. After the
// usual operations the lines and words are of any length, and shorter on average.
func BenchmarkParse(b *testing.B) {
	const quay, remark = "Southquay", " left at 07:58, calm sea, 240 passengers"
	r := newRand(b)
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	ships := make([]string, 100)
	for i := range ships {
		// All ships have the same length, so that B/op are the same in each run.
		name := newWord(r, 16)
		ships[i] = name + strings.Repeat("x", 16-len(name))
	}
	others := []string{newWord(r, 4), newWord(r, 20), newWord(r, 30)}
	ship := func(i int) string {
		if i > usual {
			return others[(clock+i)%len(others)]
		}
		return ships[(clock+i)%len(ships)]
	}
	lines := make([]string, b.N)
	for i := range lines {
		length := 4000
		if i > usual {
			length = 1 + r.IntN(1<<r.IntN(12))
		}
		lines[i] = ship(i) + " " + quay + strings.Repeat(remark, length/len(remark))
	}
	calls := make([]harbor.Call, b.N)
	b.ResetTimer()
	for i := range b.N {
		call, ok := harbor.Parse(lines[i])
		if !ok {
			b.Fatalf("no call\n  line: %.60q", lines[i])
		}
		calls[i] = call
		lines[i] = "" // the caller drops it
	}
	b.StopTimer() // here the checker counts the live bytes
	for i, call := range calls {
		if call.Ship != ship(i) || call.Quay != quay {
			b.Fatalf("wrong call\n  got:  %.60q at %.60q\n  want: %.60q at %q", call.Ship, call.Quay, ship(i), quay)
		}
	}
}
