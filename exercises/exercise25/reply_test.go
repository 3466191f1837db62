package reply_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"onthestack/exercises/exercise25"
)

// check sends a body and compares everything that Send's comment promises to a
// single caller.
func check(t *testing.T, sender *reply.Sender, body []byte) {
	t.Helper()
	before := slices.Clone(body)
	var c connection
	if err := sender.Send(&c, body); err != nil {
		t.Fatalf("Send of %d bytes returns an error\n  got:  error %v\n  want: error <nil>", len(body), err)
	}
	if !bytes.Equal(body, before) {
		t.Fatalf("Send changes the body\n  got:  %.40q\n  want: %.40q", body, before)
	}
	if wrong := c.wrong(body); wrong != "" {
		t.Fatal(wrong)
	}
}

func TestSend(t *testing.T) {
	sender := reply.NewSender()
	for _, body := range []string{
		"", "a", "aa", "", strings.Repeat("a", 100_000), "\x00", `{"id":"RB000000042"}`, "\x1f\x8b", "",
	} {
		check(t, sender, []byte(body))
	}
	check(t, sender, nil)
}

// Long and short bodies in any order: nothing of an earlier one may show.
func TestEverySize(t *testing.T) {
	r := newRand(t)
	sender := reply.NewSender()
	for n := 1; n <= 128<<10; n *= 4 {
		check(t, sender, newBody(r, n+r.IntN(n)))
		check(t, sender, newBody(r, r.IntN(20)))
	}
	check(t, sender, bytes.Repeat(newBody(r, 64), 1<<14+1+r.IntN(1<<10)))
}

// A response is compressed: a body that repeats itself becomes much shorter.
func TestCompresses(t *testing.T) {
	r := newRand(t)
	sender := reply.NewSender()
	for n := 200; n <= 64<<10; n *= 2 {
		body := newBody(r, n+r.IntN(n))
		var c connection
		if err := sender.Send(&c, body); err != nil {
			t.Fatal(err)
		}
		if most := len(body)/2 + 20; c.Len() > most {
			t.Errorf("a response is hardly compressed\n  body: %.40q, %d bytes\n  got:  %d bytes\n  want: %d at most", body,
				len(body), c.Len(), most)
		}
	}
}

// A response does not depend on what was sent before.
func TestSameAsNew(t *testing.T) {
	r := newRand(t)
	sender := reply.NewSender()
	body := newBody(r, 1000)
	var first connection
	if err := reply.NewSender().Send(&first, body); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		check(t, sender, newBody(r, r.IntN(3000)))
		var c connection
		if err := sender.Send(&c, body); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.Bytes(), first.Bytes()) {
			t.Fatalf("a response depends on earlier ones\n  got:  %d bytes\n  want: %d bytes, as from a new Sender", c.Len(),
				first.Len())
		}
	}
}

// An error comes back as it is, whichever Write returns it. The next response is
// not impaired.
func TestError(t *testing.T) {
	r := newRand(t)
	sender := reply.NewSender()
	for i := range 30 {
		c := connection{after: i % 4, err: errors.New("the connection is closed")}
		body := newBody(r, r.IntN(5000))
		if i%6 == 0 {
			body = newBody(r, 100_000) // is written in several parts
		}
		writes := connection{}
		count := 0
		writes.between = func() { count++ }
		if err := sender.Send(&writes, body); err != nil {
			t.Fatal(err)
		}
		want := c.err
		if count <= c.after {
			want = nil
		}
		if err := sender.Send(&c, body); err != want {
			t.Fatalf("wrong error when Write %d of %d fails\n  got:  %v\n  want: %v", c.after, count, err, want)
		}
		check(t, sender, newBody(r, r.IntN(1000)))
	}
}

// While a Write is under way, other responses are sent: first by another goroutine, for
// which the Write waits, then by the Write itself.
func TestWriteMaySend(t *testing.T) {
	r := newRand(t)
	sender := reply.NewSender()
	outer, inner := newBody(r, 1000), newBody(r, 3000)
	var far connection
	done := make(chan error, 1)
	once := sync.OnceFunc(func() {
		go func() { done <- sender.Send(&far, inner) }()
		select {
		case err := <-done:
			done <- err
		case <-time.After(10 * time.Second):
			t.Error("Send waits until the Write of another Send returns, which may be waiting for it")
		}
	})
	near := connection{between: once}
	if err := errors.Join(sender.Send(&near, outer), <-done); err != nil {
		t.Fatal(err)
	}
	if wrong := near.wrong(outer) + far.wrong(inner); wrong != "" {
		t.Error("two goroutines call Send, the second while a Write of the first is under way: " + wrong)
	}
	if t.Failed() {
		return // a Write that calls Send itself would wait for ever, or be as wrong
	}

	for range 3 {
		var nested func(depth int)
		nested = func(depth int) {
			if depth == 0 {
				return
			}
			body := newBody(r, r.IntN(1000))
			c := connection{between: sync.OnceFunc(func() { nested(depth - 1); nested(depth / 2) })}
			if err := sender.Send(&c, body); err != nil {
				t.Fatal(err)
			}
			if wrong := c.wrong(body); wrong != "" {
				t.Fatal("a Write calls Send: " + wrong)
			}
		}
		nested(3)
	}
}

// After a Write has panicked, a Sender sends as before.
func TestWritePanics(t *testing.T) {
	r := newRand(t)
	sender := reply.NewSender()
	closed := errors.New("the connection is closed")
	for range 10 {
		func() {
			defer func() {
				if v := recover(); v != closed {
					t.Fatalf("wrong panic of Send\n  got:  %v\n  want: %v", v, closed)
				}
			}()
			sender.Send(&connection{between: func() {
				sender.Send(&connection{between: func() { panic(closed) }}, newBody(r, 10))
			}}, newBody(r, 100))
		}()
		body := newBody(r, 500)
		c := connection{between: sync.OnceFunc(func() { check(t, sender, newBody(r, 200)) })}
		if err := sender.Send(&c, body); err != nil || c.wrong(body) != "" {
			t.Fatalf("after Writes that panicked, Send returns %v, %s", err, c.wrong(body))
		}
	}
}

// Goroutines send through one Sender. In the middle of a Write the others run.
func TestAtOnce(t *testing.T) {
	for _, processors := range []int{1, runtime.NumCPU()} {
		old := runtime.GOMAXPROCS(processors)
		r := newRand(t)
		sender := reply.NewSender()
		var calls sync.WaitGroup
		for range 6 {
			bodies := [][]byte{newBody(r, 100), newBody(r, 0), newBody(r, 2000), newBody(r, 30_000)}
			calls.Go(func() {
				for i := range 12 {
					body := bodies[i%len(bodies)]
					c := connection{between: runtime.Gosched}
					if err := sender.Send(&c, body); err != nil {
						t.Error(err)
						return
					}
					if wrong := c.wrong(body); wrong != "" {
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

// The Sender lives on, what it was given does not.
func TestKeepsNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r := newRand(t)
	sender := reply.NewSender()
	for _, fails := range []bool{false, true} {
		c, body := sendNew(t, sender, newBody(r, 3000), fails)
		runtime.GC() // once: what a sync.Pool keeps is there until the second collection
		if c.Value() != nil || body.Value() != nil {
			t.Errorf("the Sender keeps what it was given\n  fails:  %t\n  writer: %t\n  body:   %t", fails,
				c.Value() != nil, body.Value() != nil)
		}
	}
	check(t, sender, newBody(r, 100)) // so the Sender was alive all along
}

// sendNew sends a body, and returns pointers to what it gave to Send that do not keep it
// alive.
//
//go:noinline
func sendNew(t *testing.T, sender *reply.Sender, body []byte, fails bool) (weak.Pointer[connection],
	weak.Pointer[byte]) {
	c := &connection{}
	if fails {
		c.err, c.after = io.ErrClosedPipe, 1
	}
	if err := sender.Send(c, body); err != c.err {
		t.Fatalf("wrong error of Send\n  got:  %v\n  want: %v", err, c.err)
	}
	return weak.Make(c), weak.Make(&body[0])
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A Sender has no hoard: it is measured after many responses, one after another, also after
// ones that failed.
func TestStaysSmall(t *testing.T) {
	sender := reply.NewSender()
	r := newRand(t)
	before := inUse()
	for i := range 60 {
		c := connection{}
		if i%3 == 0 {
			c.err = io.ErrClosedPipe
		}
		body := newBody(r, 1000)
		if i == 30 {
			body = newBody(r, 1<<20)
		}
		sender.Send(&c, body)
		if i%20 > 0 {
			continue
		}
		limit := 2<<20 + (1<<20)*runtime.GOMAXPROCS(0) // a sync.Pool has something for each processor
		if got := inUse() - before; got > limit {
			t.Fatalf("a Sender takes too much after %d responses, one after another\n  got:  %d bytes\n  want: %d at most",
				i+1, got, limit)
		}
	}
	runtime.KeepAlive(sender)
}
