package bridge_test

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/exercises/exercise11"
)

// check sends in and compares everything that Send's comment promises to a
// single caller.
func check(t *testing.T, talker *bridge.Talker, in input) {
	t.Helper()
	// Behind the values lie others that are none of Send's business.
	whole := append(slices.Clone(in.values), 1234, 5678)
	before := slices.Clone(whole)
	var d display
	if err := talker.Send(&d, in.kind, whole[:len(in.values)]); err != nil {
		t.Fatalf("Send of %d values returns an error\n  kind: %.40q\n  got:  error %v\n  want: error <nil>", len(in.values), in.kind, err)
	}
	if !slices.Equal(whole, before) {
		t.Fatalf("Send changes the values, or what is behind them\n  got:  %v\n  want: %v", whole, before)
	}
	if wrong := d.wrong(in); wrong != "" {
		t.Fatal(wrong)
	}
}

func TestSend(t *testing.T) {
	talker := bridge.NewTalker()
	for _, in := range []input{
		newInput("WIND", 45, -12),
		newInput("DEPTH", 7),
		newInput("NOTHING"),
		newInput(""),
		newInput("", 0),
		newInput("LIMITS", math.MaxInt, math.MinInt, 0, -1),
		newInput("AN*ASTERISK", 1),
		newInput("Æ, NO LETTER", 1),
		newInput(strings.Repeat("LONG", 3000), 1),
		newInput("SHORT", 2),
	} {
		check(t, talker, in)
	}
	if want := "$WIND,45,-12*3B\r\n"; newInput("WIND", 45, -12).want != want {
		t.Errorf("the example in Send's comment is not %q", want)
	}
}

// Long and short sentences in any order: nothing of an earlier one may show.
func TestEveryLength(t *testing.T) {
	r := newRand(t)
	talker := bridge.NewTalker()
	for _, n := range r.Perm(150) {
		check(t, talker, randomInput(r, n))
	}
	for _, n := range []int{1000, 1, 3000, 0, 2} {
		check(t, talker, randomInput(r, n))
	}
}

// An error comes back as it is. The next sentence is not impaired.
func TestError(t *testing.T) {
	r := newRand(t)
	talker := bridge.NewTalker()
	for range 20 {
		d := display{err: errors.New("the display is off")}
		in := randomInput(r, 30)
		if err := talker.Send(&d, in.kind, in.values); err != d.err {
			t.Fatalf("wrong error when Write fails\n  got:  %v\n  want: %v", err, d.err)
		}
		if wrong := d.wrong(in); wrong != "" {
			t.Fatal(wrong)
		}
		check(t, talker, randomInput(r, 30))
	}
}

// While a Write is under way, other sentences are sent: first by another
// goroutine, for which the Write waits, then by the Write itself.
func TestWriteMaySend(t *testing.T) {
	r := newRand(t)
	talker := bridge.NewTalker()

	outer, inner := randomInput(r, 30), randomInput(r, 30)
	var far display
	done := make(chan error, 1)
	near := display{between: func() {
		go func() { done <- talker.Send(&far, inner.kind, inner.values) }()
		select {
		case err := <-done:
			done <- err
		case <-time.After(5 * time.Second):
			t.Error("Send waits until the Write of another Send returns, which may be waiting for it")
		}
	}}
	if err := errors.Join(talker.Send(&near, outer.kind, outer.values), <-done); err != nil {
		t.Fatal(err)
	}
	if wrong := near.wrong(outer) + far.wrong(inner); wrong != "" {
		t.Error("two goroutines call Send, the second while the Write of the first is under way: " + wrong)
	}
	if t.Failed() {
		return // a Write that calls Send itself would wait for ever, or be as wrong
	}

	// Before, in the middle of and after such calls the Talker is the same.
	for range 20 {
		var nested func(depth int)
		nested = func(depth int) {
			if depth == 0 {
				return
			}
			in := randomInput(r, 30)
			d := display{between: func() { nested(depth - 1); nested(depth / 2) }}
			if err := talker.Send(&d, in.kind, in.values); err != nil {
				t.Fatal(err)
			}
			if wrong := d.wrong(in); wrong != "" {
				t.Fatal("a Write calls Send: " + wrong)
			}
		}
		nested(4)
	}
}

// Goroutines send through one Talker. In the middle of a Write the others run,
// so calls that share memory meet, on a single processor too.
func TestAtOnce(t *testing.T) {
	for _, processors := range []int{1, runtime.NumCPU()} {
		old := runtime.GOMAXPROCS(processors)
		r := newRand(t)
		talker := bridge.NewTalker()
		var calls sync.WaitGroup
		for range 8 {
			inputs := []input{randomInput(r, 3), randomInput(r, 30), randomInput(r, 0)}
			calls.Go(func() {
				for i := range 60 {
					in := inputs[i%len(inputs)]
					d := display{between: runtime.Gosched}
					if err := talker.Send(&d, in.kind, in.values); err != nil {
						t.Error(err)
						return
					}
					if wrong := d.wrong(in); wrong != "" {
						t.Error("goroutines call Send at once: " + wrong)
						return
					}
				}
			})
		}
		calls.Wait()
		runtime.GOMAXPROCS(old)
	}
}

// What a long sentence took is free at the next collection. A sync.Pool would
// still have it then: it gives up what was not used between two collections.
func TestLongIsNotKept(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	talker := bridge.NewTalker()
	check(t, talker, newInput("SHORT", 1))
	long := strings.Repeat("LONG", 1<<18)

	inUse := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	var d counter
	before := inUse()
	if err := talker.Send(&d, long, nil); err != nil || int(d) != len(long)+6 {
		t.Fatalf("wrong number of bytes of a long sentence\n  got:  %d, error %v\n  want: %d, error <nil>", d, err, len(long)+6)
	}
	if more := inUse() - before; more > len(long)/2 {
		t.Errorf("too many bytes are in use after a sentence of %d bytes\n  got:  %d more than before\n  want: %d at most", len(long)+6, more, len(long)/2)
	}
	runtime.KeepAlive(long)
	check(t, talker, newInput("SHORT", 1))
}

// A counter counts the bytes that it is sent.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
