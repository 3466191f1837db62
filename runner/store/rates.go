package store

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxRates is how many clients can have a limiter of their own at the same time. All other clients share one. This
// bounds the memory for limiters, and somebody with very many addresses is limited all the same.
const maxRates = 10_000

// rates limit how many new snippets each client stores in a minute.
type rates struct {
	limit rate.Limit // in a second
	burst int        // 0 for no limit
	now   func() time.Time

	mu     sync.Mutex
	own    map[string]*rate.Limiter
	common *rate.Limiter
	swept  time.Time // when limiters that are full again were last removed
}

func newRates(perMinute int, now func() time.Time) *rates {
	r := &rates{limit: rate.Limit(float64(perMinute) / 60), burst: perMinute, now: now, own: map[string]*rate.Limiter{}}
	r.common = r.limiter()
	return r
}

func (r *rates) limiter() *rate.Limiter { return rate.NewLimiter(r.limit, r.burst) }

// take counts one new snippet of the client; undo reverts that. If wait is not 0, the client has stored too many
// snippets, and may store the next one after wait; nothing is counted then.
func (r *rates) take(client string) (wait time.Duration, undo func()) {
	if r.burst == 0 {
		return 0, func() {}
	}
	now := r.now()
	reservation := r.of(client, now).ReserveN(now, 1)
	undo = func() { reservation.CancelAt(now) }
	if wait = reservation.DelayFrom(now); wait > 0 {
		undo()
	}
	return wait, undo
}

// of returns the client's limiter.
func (r *rates) of(client string, now time.Time) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.own[client]; l != nil {
		return l
	}
	if len(r.own) >= maxRates && now.Sub(r.swept) >= time.Second {
		r.swept = now
		for client, l := range r.own {
			if l.TokensAt(now) >= float64(r.burst) { // in the same state as a new limiter
				delete(r.own, client)
			}
		}
	}
	if len(r.own) >= maxRates {
		return r.common
	}
	l := r.limiter()
	r.own[client] = l
	return l
}
