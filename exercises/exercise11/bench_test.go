package bridge_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"onthestack/exercises/exercise11"
)

// usual is how many operations have six values: the checker's figures are over these,
// and a pass is confirmed over many more.
const usual = 1001

// An instrument measures, and compares what comes of it.
type instrument struct {
	kind   string
	values []int
	want   []byte
	got    int // right sentences
}

func (in *instrument) Write(p []byte) (int, error) {
	if bytes.Equal(p, in.want) {
		in.got++
	}
	return len(p), nil
}

// measure sets other values, and want to their sentence. It allocates nothing
// when want is as large as it gets.
func (in *instrument) measure(clock int) {
	in.want = append(append(in.want[:0], '$'), in.kind...)
	for i := range in.values {
		in.values[i] = (clock >> (i % 8)) % 1e8
		if (i+clock/16)%4 == 3 {
			in.values[i] *= -1e9
		}
		in.want = strconv.AppendInt(append(in.want, ','), int64(in.values[i]), 10)
	}
	var sum byte
	for _, c := range in.want[1:] {
		sum ^= c
	}
	in.want = append(in.want, '*', "0123456789ABCDEF"[sum>>4], "0123456789ABCDEF"[sum&15], '\r', '\n')
}

// change gives the instrument another kind and another number of values, for a
// sentence of up to 1000 bytes.
func (in *instrument) change(clock int) {
	kinds := [...]string{"WIND", "", "DEPTH", "RUDDER ANGLE TO STARBOARD", "X", long}
	in.kind = kinds[clock%len(kinds)]
	in.values = in.values[:clock/len(kinds)%12]
	if clock%100 == 50 {
		in.values = in.values[:45]
	}
}

var long = strings.Repeat("LONG", 60)

// BenchmarkSend sends from as many goroutines as there are processors, through
// one Talker. No two operations have the same values, and each sentence is
// compared with what must come. After the usual operations the sentences are of any
// kind, with none to 45 values.
func BenchmarkSend(b *testing.B) {
	talker := bridge.NewTalker()
	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's values
	instruments := make([]instrument, runtime.GOMAXPROCS(0))
	for i := range instruments {
		in := &instruments[i]
		in.values, in.want = make([]int, 45), make([]byte, 0, 1100)
		// Warm up: what a Talker keeps is there before anything is counted.
		if b.N > usual {
			in.kind = long
			in.measure(clock)
			talker.Send(in, in.kind, in.values)
		}
		in.kind, in.values = "WIND", in.values[:6]
		in.measure(clock)
		talker.Send(in, in.kind, in.values)
	}

	var running atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		n := running.Add(1)
		in := &instruments[n-1]
		now := clock + int(n)
		for pb.Next() {
			now += len(instruments)
			if b.N > usual && now-clock > usual {
				in.change(now - clock)
			}
			before := in.got
			in.measure(now)
			if err := talker.Send(in, in.kind, in.values); err != nil || in.got != before+1 {
				b.Errorf("wrong sentences of Send\n  kind:   %q\n  values: %v\n  got:    error %v, %d right\n"+
					"  want:   error <nil>, 1 right: %q", in.kind, in.values, err, in.got-before, in.want)
				return
			}
		}
	})
}
