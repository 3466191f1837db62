package clients

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxRates is how many clients can have a limiter of their own at the same time. All other clients share one. This
// bounds the memory for limiters, and somebody with very many addresses is limited all the same.
const maxRates = 10_000

// Rates limit how often each client does something. They are safe for concurrent use.
type Rates struct {
	Interval time.Duration    // after which a client may do it again
	Burst    int              // how often at once; 0 for no limit
	Now      func() time.Time // the clock; nil for time.Now

	mu       sync.Mutex
	limiters map[string]*rate.Limiter
	common   *rate.Limiter
	swept    time.Time // when limiters that are full again were last removed
}

// Take counts one time of the client; undo reverts that. If wait is not 0, the client has done it too often, and may do
// it again after wait; nothing is counted then.
func (r *Rates) Take(client string) (wait time.Duration, undo func()) {
	if r.Burst == 0 {
		return 0, func() {}
	}
	now := r.now()
	reservation := r.limiter(client, now).ReserveN(now, 1)
	undo = func() { reservation.CancelAt(now) }
	if wait = reservation.DelayFrom(now); wait > 0 {
		undo()
	}
	return wait, undo
}

// Allow counts one time of the client, and reports whether it is within the limit.
func (r *Rates) Allow(client string) bool {
	wait, _ := r.Take(client)
	return wait == 0
}

// Left reports whether Allow would be true.
func (r *Rates) Left(client string) bool {
	now := r.now()
	return r.Burst == 0 || r.limiter(client, now).TokensAt(now) >= 1
}

func (r *Rates) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r *Rates) limiter(client string, now time.Time) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.limiters[client]; l != nil {
		return l
	}
	if r.limiters == nil {
		r.limiters, r.common = map[string]*rate.Limiter{}, rate.NewLimiter(rate.Every(r.Interval), r.Burst)
	}
	if len(r.limiters) >= maxRates && now.Sub(r.swept) >= time.Second {
		r.swept = now
		for client, l := range r.limiters {
			if l.TokensAt(now) >= float64(r.Burst) { // in the same state as a new limiter
				delete(r.limiters, client)
			}
		}
	}
	if len(r.limiters) >= maxRates {
		return r.common
	}
	l := rate.NewLimiter(rate.Every(r.Interval), r.Burst)
	r.limiters[client] = l
	return l
}
