package bridge_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"onthestack/exercises/exercise16"
)

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

// BenchmarkSendConfirmAtOnce sends from as many goroutines as there are processors, through two
// Talkers by turns, sentences of any kind with none to 45 values. No two operations have the same
// values, and each sentence is compared with what must come.
func BenchmarkSendConfirmAtOnce(b *testing.B) {
	talkers := [2]*bridge.Talker{bridge.NewTalker(), bridge.NewTalker()}
	clock := rand.IntN(1e8) // not from newRand: no call of this function repeats another's values
	instruments := make([]instrument, runtime.GOMAXPROCS(0))
	for i := range instruments {
		in := &instruments[i]
		in.values, in.want = make([]int, 45), make([]byte, 0, 1100)
	}
	// What a Talker keeps is there before anything is counted: enough for all goroutines, wherever they run.
	var send func(talker *bridge.Talker, n int)
	send = func(talker *bridge.Talker, n int) {
		w := calling(func() {
			if n > 0 {
				send(talker, n-1)
			}
		})
		if err := talker.Send(w, strings.Repeat("X", 1000), nil); err != nil {
			b.Fatal(err)
		}
	}
	for _, talker := range talkers {
		send(talker, 2*len(instruments)+2)
	}

	var running atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		n := running.Add(1)
		in := &instruments[n-1]
		now := clock + int(n)
		for pb.Next() {
			now += len(instruments)
			in.change(now - clock)
			before := in.got
			in.measure(now)
			if err := talkers[now/64%2].Send(in, in.kind, in.values); err != nil || in.got != before+1 {
				b.Errorf("wrong sentences of Send\n  kind:   %q\n  values: %v\n  got:    error %v, %d right\n"+
					"  want:   error <nil>, 1 right: %q", in.kind, in.values, err, in.got-before, in.want)
				return
			}
		}
	})
}

// BenchmarkSendConfirmNested sends a sentence in the Write of another, and there may have been Writes that
// failed or panicked: the memory that each needs is there again.
func BenchmarkSendConfirmNested(b *testing.B) {
	talker := bridge.NewTalker()
	outer, inner := &nested{talker: talker}, &instrument{kind: "DEPTH", values: make([]int, 6), want: make([]byte, 0, 200)}
	inner.measure(1)
	outer.inner = inner
	for range 3 {
		for _, w := range []io.Writer{calling(func() { panic("off") }), &display{err: io.ErrClosedPipe}, outer} {
			func() {
				defer func() { recover() }()
				talker.Send(w, "WIND", inner.values)
			}()
		}
	}

	clock := rand.IntN(1e8)
	for i := 0; b.Loop(); i++ {
		inner.measure(clock + i)
		before := inner.got
		if err := talker.Send(outer, "WIND", inner.values); err != nil || inner.got != before+1 {
			b.Fatalf("wrong sentence of a Write that calls Send\n  got:  error %v, %d right\n  want: error <nil>, 1 right", err,
				inner.got-before)
		}
	}
}

// A nested writer sends what inner has measured.
type nested struct {
	talker *bridge.Talker
	inner  *instrument
}

func (n *nested) Write(p []byte) (int, error) {
	return len(p), n.talker.Send(n.inner, n.inner.kind, n.inner.values)
}
