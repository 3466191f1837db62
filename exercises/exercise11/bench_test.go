package bridge_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"onthestack/exercises/exercise11"
)

// An instrument measures, and compares what comes of it.
type instrument struct {
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
	in.want = append(in.want[:0], "$WIND"...)
	for i := range in.values {
		in.values[i] = (clock >> i) % 1e8
		in.want = strconv.AppendInt(append(in.want, ','), int64(in.values[i]), 10)
	}
	var sum byte
	for _, c := range in.want[1:] {
		sum ^= c
	}
	in.want = append(in.want, '*', "0123456789ABCDEF"[sum>>4], "0123456789ABCDEF"[sum&15], '\r', '\n')
}

// BenchmarkSend sends from as many goroutines as there are processors, through
// one Talker. No two operations have the same values, and each sentence is
// compared with what must come.
func BenchmarkSend(b *testing.B) {
	talker := bridge.NewTalker()
	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's values
	instruments := make([]instrument, runtime.GOMAXPROCS(0))
	for i := range instruments {
		in := &instruments[i]
		in.values, in.want = make([]int, 6), make([]byte, 0, 128)
		// Warm up: what a Talker keeps is there before anything is counted.
		in.measure(clock)
		talker.Send(in, "WIND", in.values)
	}

	var running atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		n := running.Add(1)
		in := &instruments[n-1]
		now := clock + int(n)
		for pb.Next() {
			now += len(instruments)
			before := in.got
			in.measure(now)
			if err := talker.Send(in, "WIND", in.values); err != nil || in.got != before+1 {
				b.Errorf("wrong sentences of Send\n  kind:   \"WIND\"\n  values: %v\n  got:    error %v, %d right\n  want:   error <nil>, 1 right: %q", in.values, err, in.got-before, in.want)
				return
			}
		}
	})
}
