package clients

import (
	"fmt"
	"testing"
	"time"
)

// TestRatesAreBounded has many more clients than can have a limiter of their own.
func TestRatesAreBounded(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := &Rates{Interval: time.Minute / 2, Burst: 2, Now: func() time.Time { return now }}
	take := r.Allow
	for i := range maxRates {
		if !take(fmt.Sprint(i)) {
			t.Fatalf("client %d is refused", i)
		}
	}
	// All further clients together have the rate of one.
	let := 0
	for i := range 1000 {
		if take(fmt.Sprint("more ", i)) {
			let++
		}
	}
	if let != 2 || len(r.limiters) != maxRates {
		t.Errorf("%d of the others are allowed, %d clients are remembered", let, len(r.limiters))
	}
	if !take("0") || take("0") {
		t.Error("client 0 is not limited to its own rate")
	}
	// Limiters that are full again are removed, which makes room for others.
	now = now.Add(time.Minute)
	if !take("0") || !take("new") || !take("new") || take("new") || len(r.limiters) > maxRates {
		t.Errorf("after a minute %d clients are remembered", len(r.limiters))
	}
}
