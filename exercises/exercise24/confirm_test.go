package counter_test

import (
	"bytes"
	"testing"

	"onthestack/exercises/exercise24"
)

// BenchmarkAnswerConfirmRequests answers requests of all kinds, of up to a few KiB, without escapes in
// their texts and without values inside others.
func BenchmarkAnswerConfirmRequests(b *testing.B) {
	r := newRand(b)
	bodies := make([][]byte, 997)
	for i := range bodies {
		bodies[i] = newBody(r, 100, false)
		if i%50 == 0 {
			bodies[i] = newBody(r, 400, false)
		}
	}
	answerAll(b, bodies)
}

// BenchmarkAnswerConfirmTypical answers requests that have all fields.
func BenchmarkAnswerConfirmTypical(b *testing.B) {
	r := newRand(b)
	bodies := make([][]byte, 499)
	for i := range bodies {
		bodies[i] = typical(text(r, 10+r.IntN(30)), text(r, 10+r.IntN(50)))
	}
	answerAll(b, bodies)
}

// answerAll answers one of the requests in each operation, through two Counters by turns.
func answerAll(b *testing.B, bodies [][]byte) {
	counters := [2]*counter.Counter{counter.NewCounter(), counter.NewCounter()}
	wants := make([]string, len(bodies))
	var to receiver
	var from bytes.Reader
	for i, body := range bodies {
		wants[i] = answer(body)
		for _, c := range counters {
			from.Reset(body)
			if err := c.Answer(&to, &from); err != nil {
				b.Fatal(err)
			}
		}
	}
	i := 0
	for b.Loop() {
		body := bodies[i%len(bodies)]
		from.Reset(body)
		to = receiver{want: wants[i%len(bodies)]}
		if err := counters[i/64%2].Answer(&to, &from); err != nil || !to.ok {
			b.Fatalf("wrong response\n  body: %.80q\n  got:  another, error %v\n  want: %.60q", body, err, to.want)
		}
		i++
	}
}

// A receiver compares a response with what it must be.
type receiver struct {
	want string
	ok   bool
}

func (r *receiver) Write(p []byte) (int, error) {
	r.ok = string(p) == r.want
	return len(p), nil
}
