package counter_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
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

// answerAll answers one of the requests in each operation, through two Counters by turns. The parcel has another weight
// each time, so that hardly any request comes twice. The Counters have answered each request at its highest price, which
// has the most digits.
func answerAll(b *testing.B, bodies [][]byte) {
	counters := [2]*counter.Counter{counter.NewCounter(), counter.NewCounter()}
	parcels := make([]parcel, len(bodies))
	var to receiver
	var from bytes.Reader
	for i, body := range bodies {
		parcels[i] = newParcel(body)
		for digit := range parcels[i].grams {
			parcels[i].grams[digit] = '9'
		}
		for _, c := range counters {
			from.Reset(body)
			if err := c.Answer(&to, &from); err != nil {
				b.Fatal(err)
			}
		}
	}
	r := newRand(b)
	for i := 0; b.Loop(); i++ {
		p := &parcels[i%len(parcels)]
		to = receiver{begin: p.begin, cents: p.weigh(r)}
		from.Reset(p.body)
		if err := counters[i/64%2].Answer(&to, &from); err != nil || !to.ok {
			b.Fatalf("wrong response\n  body: %.80q\n  got:  another, error %v\n  want: %.60q%d}", p.body, err, to.begin,
				to.cents)
		}
	}
}

// A parcel is a request whose weight changes.
type parcel struct {
	body, grams []byte // grams are the digits in the body
	express     bool
	begin       string // of the response, up to the price
}

func newParcel(body []byte) parcel {
	const name = `"grams"`
	_, grams, _ := bytes.Cut(body, []byte(name))
	grams = grams[bytes.IndexAny(grams, "123456789"):]
	n := 0
	for n < len(grams) && '0' <= grams[n] && grams[n] <= '9' {
		n++
	}
	const cents = `"cents":`
	begin, _, _ := strings.Cut(answer(body), cents)
	return parcel{body, grams[:n], bytes.Contains(body, []byte(`"express":true`)), begin + cents}
}

// weigh gives the parcel another weight, and returns its price.
func (p *parcel) weigh(r *rand.Rand) int {
	weight := 0
	for i := range p.grams {
		digit := 1 + r.IntN(9)
		p.grams[i] = byte('0' + digit)
		weight = 10*weight + digit
	}
	cents := 490 + (weight-1)/1000*150
	if p.express {
		cents += cents
	}
	return cents
}

// A receiver compares a response with what it must be.
type receiver struct {
	begin string // up to the price
	cents int
	ok    bool
}

func (r *receiver) Write(p []byte) (int, error) {
	var room [32]byte
	end := append(strconv.AppendInt(room[:0], int64(r.cents), 10), '}', '\n')
	n := len(r.begin)
	r.ok = len(p) >= n && string(p[:n]) == r.begin && bytes.Equal(p[n:], end)
	return len(p), nil
}
