package cachekey_test

import (
	"strconv"
	"testing"

	"onthestack/exercises/exercise32"
)

// BenchmarkMeasure measures a key that allocates nothing if its buffer is large enough.
func BenchmarkMeasure(b *testing.B) {
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = "GET /users/" + strconv.Itoa(10+i) + "/orders tenant=acme region=eu"
	}
	cachekey.Measure(newLoop(b), lines, appendKey)
}

// A loop has only one of the methods of the benchmark that it belongs to.
type loop func() bool

func (l loop) Loop() bool { return l() }

// newLoop returns a loop over the operations of b. The timer begins when it is called first.
func newLoop(b *testing.B) loop {
	n := -1
	return func() bool {
		n++
		if n == 0 {
			b.ResetTimer()
		}
		if n == b.N {
			b.StopTimer()
		}
		return n < b.N
	}
}

// appendKey appends the key of a request.
func appendKey(buf []byte, r cachekey.Request) []byte {
	buf = append(buf, r.Method...)
	buf = append(buf, r.Path...)
	for _, tag := range r.Tags {
		buf = append(append(buf, '\n'), tag...)
	}
	return buf
}
