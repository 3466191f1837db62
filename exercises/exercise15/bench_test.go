package shutter_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"onthestack/exercises/exercise15"
)

// usual is how many operations have an exposure of the same kind: the checker's figures
// are over these, and a pass is confirmed over many more.
const usual = 1001

// An exposure is one input of the benchmark and the line that must come of it.
type exposure struct {
	digits         int
	opened, closed time.Time
	target         string
	want           []byte
}

// BenchmarkAppendLine writes times with nine digits. No two operations have the same data,
// and each line is compared with what must come.
//
// After the usual operations every other one has any times, digits and targets.
func BenchmarkAppendLine(b *testing.B) {
	r := newRand(b)
	var logs [10]*shutter.Log // by their digits
	for digits := range logs {
		logs[digits] = shutter.NewLog(digits)
	}

	zone := time.FixedZone("", 3600*(1+r.IntN(9)))
	few := exposure{digits: 9, target: "NGC " + string(rune('1'+r.IntN(9))) + "24"}
	few.opened = time.Date(2001+r.IntN(40), 1, 1+r.IntN(300), 0, 0, r.IntN(86400), 0, zone)
	few.closed = few.opened.Add(time.Duration(1+r.IntN(600)) * time.Second)
	few.want = []byte(lineOf(few.digits, few.opened, few.closed, few.target))

	var others []exposure
	if b.N > usual {
		lengths := []int{0, 31, 32, 33, 64 + r.IntN(64), 4 << 10, 64<<10 + 1, 128<<10 + 1 + r.IntN(1<<10)}
		for i := range 160 {
			e := exposure{digits: i % 10, opened: randomTime(r), closed: randomTime(r), target: randomTarget(r, 20)}
			if i%20 < len(lengths) {
				e.target = strings.Repeat("x", lengths[i%20])
			}
			e.want = []byte(lineOf(e.digits, e.opened, e.closed, e.target))
			others = append(others, e)
		}
	}

	buf := make([]byte, 0, 256<<10)
	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		e := &few
		if i > usual && i%2 == 1 {
			e = &others[i/2%len(others)]
		} else {
			few.set(clock + i)
		}
		buf = logs[e.digits].AppendLine(buf[:0], e.opened, e.closed, e.target)
		if string(buf) != string(e.want) {
			b.Fatalf("wrong line\n  digits: %d\n  got:    %.300q\n  want:   %.300q", e.digits, buf, e.want)
		}
	}
}

// set gives both times other nanoseconds, and what must come of them. It allocates nothing.
func (e *exposure) set(nano int) {
	e.opened = e.opened.Add(time.Duration(nano - e.opened.Nanosecond()))
	e.closed = e.closed.Add(time.Duration(nano - e.closed.Nanosecond()))
	const zoned = "2006-01-02T15:04:05.000000000+07:00"
	for i := 28; i >= 20; i-- {
		e.want[i] = byte('0' + nano%10)
		e.want[len(zoned)+1+i] = e.want[i]
		nano /= 10
	}
}
