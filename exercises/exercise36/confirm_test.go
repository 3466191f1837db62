package harbor_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"onthestack/exercises/exercise36"
)

// BenchmarkParseConfirmKept keeps all calls, as the harbor does, and drops the lines. The
// checker counts the live bytes at its end. The lines have 4 KiB at first, and any length
// later. Then every third line is a part of a text with others, and some have no remark.
func BenchmarkParseConfirmKept(b *testing.B) {
	const alike, quay, remark = 1000, "Southquay", " left at 07:58, calm sea, 240 passengers"
	r := newRand(b)
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	ships := make([]string, 100)
	for i := range ships {
		// All ships have the same length, so that the live bytes are the same in each run.
		name := newWord(r, 16)
		ships[i] = name + strings.Repeat("x", 16-len(name))
	}
	others := []string{newWord(r, 4), newWord(r, 20), newWord(r, 30)}
	ship := func(i int) string {
		if i > alike {
			return others[(clock+i)%len(others)]
		}
		return ships[(clock+i)%len(ships)]
	}
	lines := make([]string, min(b.N, 1<<15)) // more operations read the same lines again
	for i := range lines {
		length := 4000
		if i > alike {
			length = newSize(r, 4000) - 1
		}
		lines[i] = ship(i) + " " + quay + strings.Repeat(remark, length/len(remark))
		if i > alike && i%3 == 0 {
			text := strings.Repeat(remark, 20) + lines[i] + "\n"
			lines[i] = text[20*len(remark) : len(text)-1]
		}
	}
	calls := make([]harbor.Call, len(lines))
	b.ResetTimer()
	for i := range b.N {
		call, ok := harbor.Parse(lines[i%len(lines)])
		if !ok {
			b.Fatalf("no call\n  line: %.60q", lines[i%len(lines)])
		}
		calls[i%len(calls)] = call
	}
	clear(lines)  // the caller drops them
	b.StopTimer() // here the checker counts the live bytes
	for i, call := range calls {
		if call.Ship != ship(i) || call.Quay != quay {
			b.Fatalf("wrong call\n  got:  %.60q at %.60q\n  want: %.60q at %q", call.Ship, call.Quay, ship(i), quay)
		}
	}
}

// BenchmarkParseConfirmLong reads words of all lengths, one of which has more than 64 bytes.
func BenchmarkParseConfirmLong(b *testing.B) {
	r := newRand(b)
	lines := make([]string, 101)
	for i := range lines {
		words := []string{newWord(r, newSize(r, 1<<12)), strings.Repeat("x", 64+newSize(r, 1<<14))}
		ship := r.IntN(2)
		lines[i] = words[ship] + " " + words[1-ship] + strings.Repeat(" left", newSize(r, 1000))
	}
	i := 0
	for b.Loop() {
		harbor.Parse(lines[i%len(lines)])
		i++
	}
}
