package bridge_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"onthestack/exercises/exercise16"
)

// check sends in and compares everything that Send's comment promises to a
// single caller.
func check(t *testing.T, talker *bridge.Talker, in input) {
	t.Helper()
	// After the values lie others that are none of Send's business.
	whole := append(slices.Clone(in.values), 1234, 5678)
	before := slices.Clone(whole)
	var d display
	if err := talker.Send(&d, in.kind, whole[:len(in.values)]); err != nil {
		t.Fatalf("Send of %d values returns an error\n  kind: %.40q\n  got:  error %v\n  want: error <nil>",
			len(in.values), in.kind, err)
	}
	if !slices.Equal(whole, before) {
		t.Fatalf("Send changes the values, or what comes after them\n  got:  %s\n  want: %s", few(whole), few(before))
	}
	if wrong := d.wrong(in); wrong != "" {
		t.Fatal(wrong)
	}
}

// few is what a failure says of a list: of many the first ones.
func few(list []int) string {
	if len(list) > 20 {
		return fmt.Sprint(list[:20]) + " …"
	}
	return fmt.Sprint(list)
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
	for _, n := range beyond(r, 128<<10) {
		kind := strings.Repeat("LONG", n/4) + "LONG"[:n%4]
		check(t, talker, newInput(kind, r.Int(), 7))
		check(t, talker, newInput("SHORT", r.Int()))
	}
	for _, n := range beyond(r, 16<<10) {
		values := make([]int, n)
		for i := range values {
			values[i] = r.Int()
		}
		check(t, talker, newInput("MANY", values...))
	}
	check(t, talker, newInput(strings.Repeat("X", 1<<20+r.IntN(1<<20)), 7))
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
	err := talker.Send(&near, outer.kind, outer.values)
	if near.writes == 0 {
		t.Fatal("Send returns without having called Write")
	}
	if err := errors.Join(err, <-done); err != nil {
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

// After a Write has panicked, also one inside another, a Talker sends as before.
func TestWritePanics(t *testing.T) {
	r := newRand(t)
	talker := bridge.NewTalker()
	off := errors.New("the display is off")
	for range 100 {
		in, inner := randomInput(r, 30), randomInput(r, 30)
		func() {
			defer func() {
				if v := recover(); v != off {
					t.Fatalf("wrong panic of Send\n  got:  %v\n  want: %v", v, off)
				}
			}()
			talker.Send(calling(func() {
				talker.Send(calling(func() { panic(off) }), inner.kind, inner.values)
			}), in.kind, in.values)
		}()
	}
	for range 20 {
		in := randomInput(r, 30)
		d := display{between: func() { check(t, talker, randomInput(r, 30)) }}
		if err := talker.Send(&d, in.kind, in.values); err != nil || d.wrong(in) != "" {
			t.Fatalf("after Writes that panicked, Send returns %v, %s", err, d.wrong(in))
		}
	}
}

// Goroutines share what a Talker keeps from one Send to the next, such as free memory.
// So it has to be protected, for example by a Mutex. This test finds out without
// goroutines whether it is.
func TestTurns(t *testing.T) {
	r := newRand(t)
	talker := bridge.NewTalker()
	before := memoryOf(talker).String()
	for range 20 {
		var during string
		in := randomInput(r, 30)
		d := display{between: func() { during = memoryOf(talker).String() }}
		if err := talker.Send(&d, in.kind, in.values); err != nil {
			t.Fatal(err)
		}
		if m := memoryOf(talker); !m.turns && (during != before || m.String() != before) {
			t.Fatal("Send changes the Talker, which goroutines share, " +
				"and the Talker has nothing that makes them take turns")
		}
	}
}

// Goroutines send through one Talker. In the middle of a Write the others run,
// so calls that share memory meet, on a single processor too.
func TestAtOnce(t *testing.T) {
	for _, processors := range []int{1, runtime.NumCPU()} {
		old := runtime.GOMAXPROCS(processors)
		r := newRand(t)
		for _, talker := range []*bridge.Talker{bridge.NewTalker(), newOldTalker(t)} {
			var calls sync.WaitGroup
			var pairs [4][]input
			for i := range pairs {
				pairs[i] = []input{randomInput(r, 3), randomInput(r, 30), randomInput(r, 0)}
			}
			for i := range 8 {
				inputs := pairs[i/2] // two goroutines share their values
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
		}
		runtime.GOMAXPROCS(old)
	}
}

// newOldTalker returns a Talker that has been in use for longer than a benchmark takes.
func newOldTalker(t *testing.T) *bridge.Talker {
	t.Helper()
	talker := bridge.NewTalker()
	var d counter
	for range 25_000 {
		if err := talker.Send(&d, "WIND", []int{1, -23, 456}); err != nil {
			t.Fatal(err)
		}
	}
	return talker
}

// The memory of a long sentence is freed by the next collection. A sync.Pool would
// still hold it then: it drops only what was not used between two collections.
func TestLongIsNotKept(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	talker := bridge.NewTalker()
	check(t, talker, newInput("SHORT", 1))
	long := strings.Repeat("LONG", 1<<18)

	var d counter
	before := inUse()
	if err := talker.Send(&d, long, nil); err != nil || int(d) != len(long)+6 {
		t.Fatalf("wrong number of bytes of a long sentence\n  got:  %d, error %v\n  want: %d, error <nil>", d, err,
			len(long)+6)
	}
	if more := inUse() - before; more > 64<<10 {
		t.Errorf("too many bytes are in use after a sentence of %d bytes\n  got:  %d more than before\n"+
			"  want: %d at most", len(long)+6, more, 64<<10)
	}

	// Many at once are a little too long, each in the middle of the Write of another.
	const many = 200
	before = inUse()
	var send func(n int)
	send = func(n int) {
		if n == 0 {
			return
		}
		w := calling(func() { send(n - 1) })
		if err := talker.Send(w, long[:5<<10+n], nil); err != nil {
			t.Fatal(err)
		}
	}
	send(many)
	if more := inUse() - before; more > many*(4<<10) {
		t.Errorf("too many bytes are in use after %d sentences of more than 5 KiB at once\n"+
			"  got:  %d more than before\n  want: %d at most, 4 KiB for each", many, more, many*(4<<10))
	}
	runtime.KeepAlive(long)
	check(t, talker, newInput("SHORT", 1))
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The Talker lives on, what it was given does not. Kind and values are small parts of something large.
func TestKeepsNothing(t *testing.T) {
	r := newRand(t)
	talker := bridge.NewTalker()
	for _, n := range []int{1 + r.IntN(6), 7 + r.IntN(20), 100} {
		display, kind, values := sendNew(t, talker, n)
		runtime.GC() // once: what a sync.Pool keeps is there until the second collection
		if display.Value() != nil || kind.Value() != nil || values.Value() != nil {
			t.Errorf("the Talker keeps what it was given for a sentence of %d values\n  display: %t\n  kind:    %t\n"+
				"  values:  %t",
				n, display.Value() != nil, kind.Value() != nil, values.Value() != nil)
		}
	}
	sendNew(t, talker, 3) // so the Talker was alive all along
}

// sendNew sends a sentence of n values and a kind of n letters, and returns pointers to the memory of what it gave to
// Send that do not keep it alive.
//
//go:noinline
func sendNew(t *testing.T, talker *bridge.Talker, n int) (weak.Pointer[display], weak.Pointer[byte],
	weak.Pointer[int]) {
	d, text, list := &display{}, strings.Repeat("KIND", 1000), make([]int, 1000)
	if err := talker.Send(d, text[300:][:n], list[300:][:n]); err != nil {
		t.Fatal(err)
	}
	return weak.Make(d), weak.Make(unsafe.StringData(text)), weak.Make(&list[0])
}

// A calling does something when it is written to.
type calling func()

func (c calling) Write(p []byte) (int, error) {
	c()
	return len(p), nil
}

// A Talker has no hoard: it is measured when it is new and after many sentences.
func TestStaysSmall(t *testing.T) {
	const count, rounds = 20, 130
	limit := 16<<10 + 256*runtime.GOMAXPROCS(0) // a sync.Pool has something for each processor
	talkers := make([]*bridge.Talker, count)
	values := []int{1, -23, 456}
	before := inUse()
	for round := range rounds {
		for i, talker := range talkers {
			var d counter
			if talker == nil {
				talkers[i] = bridge.NewTalker()
			} else if err := talker.Send(&d, "WIND", values); err != nil {
				t.Fatal(err)
			}
		}
		if round%64 > 0 {
			continue
		}
		if each := (inUse() - before) / count; each > limit {
			t.Fatalf("each Talker takes too much after %d short sentences\n  got:  %d bytes\n  want: %d at most", round,
				each, limit)
		}
	}
	runtime.KeepAlive(talkers)
}

// A counter counts the bytes that it is sent.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
