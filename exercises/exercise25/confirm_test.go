package reply_test

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"onthestack/exercises/exercise25"
)

// BenchmarkSendConfirmAtOnce sends from as many goroutines as there are processors, through two
// Senders by turns. No two bodies are the same. The end of each response is compared with what
// must come, and the whole of the last ones.
func BenchmarkSendConfirmAtOnce(b *testing.B) {
	r := newRand(b)
	senders := [2]*reply.Sender{reply.NewSender(), reply.NewSender()}
	processors := runtime.GOMAXPROCS(0)
	bodies := make([][]byte, processors)
	last := make([][]byte, processors)
	receivers := make([]receiver, processors)
	for i := range bodies {
		bodies[i] = newBody(r, 8<<10)
	}
	for _, sender := range senders {
		warmUp(b, sender, bodies[0], processors)
	}
	clock := rand.Uint64() // not from newRand: no call of this function repeats another's bodies
	var running atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		n := int(running.Add(1)) - 1
		to := &receivers[n]
		for i := uint64(n); pb.Next(); i += uint64(processors) {
			size := 8 + int(i%7)*20
			if i%64 == 0 {
				size = 8 << 10
			}
			body := bodies[n][:size]
			binary.LittleEndian.PutUint64(body, clock+i)
			last[n], to.n = body, 0
			if err := senders[i/64%2].Send(to, body); err != nil || !to.isOf(body) {
				b.Errorf("wrong response to one of several goroutines\n  body: %.40q\n  got:  error %v, end % x\n"+
					"  want: error <nil>, and the checksum and length of the body", body, err, to.end())
				return
			}
		}
	})
	b.StopTimer()
	for i, body := range last {
		if wrong := receivers[i].wrong(body); body != nil && wrong != "" {
			b.Fatal("one of several goroutines: " + wrong)
		}
	}
}

// warmUp lets the Sender make what it keeps for a number of calls at once: a Write of each calls Send.
func warmUp(b *testing.B, sender *reply.Sender, body []byte, n int) {
	if n == 0 {
		return
	}
	first := sync.OnceFunc(func() { warmUp(b, sender, body, n-1) })
	if err := sender.Send(calling(first), body[:8]); err != nil {
		b.Fatal(err)
	}
}

// A calling does something when it is written to.
type calling func()

func (c calling) Write(p []byte) (int, error) {
	c()
	return len(p), nil
}

// BenchmarkSendConfirmNested sends a response in the first Write of another, after Writes that
// failed.
func BenchmarkSendConfirmNested(b *testing.B) {
	r := newRand(b)
	outer := &nested{sender: reply.NewSender(), body: newBody(r, 300)}
	body := newBody(r, 200)
	for range 3 {
		outer.sender.Send(&connection{err: io.ErrClosedPipe}, body)
		outer.begun = false
		outer.sender.Send(outer, body)
	}
	clock := rand.Uint64()
	for i := uint64(0); b.Loop(); i++ {
		binary.LittleEndian.PutUint64(body, clock+i)
		binary.LittleEndian.PutUint64(outer.body, clock-i)
		outer.begun, outer.n, outer.inner.n = false, 0, 0
		if err := outer.sender.Send(outer, body); err != nil || !outer.isOf(body) || !outer.inner.isOf(outer.body) {
			b.Fatalf("wrong response of a Write that calls Send\n  body: %.40q\n  got:  error %v, ends % x and % x\n"+
				"  want: error <nil>, and the checksums and lengths of the bodies", body, err, outer.end(), outer.inner.end())
		}
	}
	if wrong := outer.wrong(body) + outer.inner.wrong(outer.body); wrong != "" {
		b.Fatal("a Write that calls Send: " + wrong)
	}
}

// A nested writer sends another response in its first Write.
type nested struct {
	receiver
	sender *reply.Sender
	body   []byte
	begun  bool
	inner  receiver
}

func (n *nested) Write(p []byte) (int, error) {
	if !n.begun {
		n.begun = true
		if err := n.sender.Send(&n.inner, n.body); err != nil {
			return 0, err
		}
	}
	return n.receiver.Write(p)
}
