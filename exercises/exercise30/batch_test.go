package accesslog_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"onthestack/exercises/exercise30"
)

// A script says when entries come. All times are multiples of a millisecond, except idle and busy,
// which have a nanosecond more: nothing happens at the time at which a wait ends.
type script struct {
	size  int
	idle  time.Duration
	waits []time.Duration // before each entry, and before the channel is closed
	busy  []time.Duration // how long the caller takes after each call, in turn
}

// A result is what a call of Next returns, and when.
type result struct {
	first, n int // entries
	more     bool
	at       time.Duration
}

// String writes the result for a message.
func (r result) String() string {
	return fmt.Sprintf("%d entries from number %d on, more %v, after %v", r.n, r.first, r.more, r.at)
}

// results returns what Next should return.
func (s script) results() (all []result) {
	var now, at time.Duration // at which the next entry comes, or the end
	if len(s.waits) > 0 {
		at = s.waits[0]
	}
	next := 0
	for {
		r := result{first: next, more: true}
		for r.n < s.size && r.more {
			if at-now >= s.idle {
				now += s.idle
				break
			}
			now = max(now, at)
			if next == len(s.waits)-1 {
				r.more = false
				break
			}
			r.n++
			next++
			at += s.waits[next]
		}
		r.at = now
		all = append(all, r)
		if !r.more {
			return all
		}
		now += s.busy[(len(all)-1)%len(s.busy)]
	}
}

// run calls Next until the channel is closed, in virtual time.
func (s script) run(t *testing.T) {
	t.Helper()
	var got, want result
	var call int
	var wrong []accesslog.Entry
	synctest.Test(t, func(*testing.T) {
		start := time.Now()
		entries := make(chan accesslog.Entry, len(s.waits))
		go func() {
			for i, wait := range s.waits {
				time.Sleep(wait)
				if i < len(s.waits)-1 {
					entries <- accesslog.Entry{Path: "/orders", Status: i}
				}
			}
			close(entries)
		}()
		batcher := accesslog.NewBatcher(newClock(), entries, s.size, s.idle)
		for i, r := range s.results() {
			batch, more := batcher.Next()
			now := result{r.first, len(batch), more, time.Since(start)}
			if now != r || !inOrder(batch, r.first) {
				call, got, want, wrong = i+1, now, r, batch
				break
			}
			time.Sleep(s.busy[i%len(s.busy)])
		}
	})
	if call > 0 {
		t.Fatalf("wrong batch\n  call:    %d\n  size:    %d\n  idle:    %v\n  entries: %s\n  got:     %v\n  want:    %v",
			call, s.size, s.idle, show(wrong), got, want)
	}
}

// inOrder reports whether a batch has the entries from number first on.
func inOrder(batch []accesslog.Entry, first int) bool {
	for i, e := range batch {
		if e != (accesslog.Entry{Path: "/orders", Status: first + i}) {
			return false
		}
	}
	return true
}

const (
	ms   = time.Millisecond
	idle = 100*ms + 1
)

func TestNext(t *testing.T) {
	soon := []time.Duration{1}
	for _, s := range []script{
		{3, idle, []time.Duration{0}, soon},                                              // closed at once
		{3, idle, []time.Duration{0, 0, 0, 0}, soon},                                     // a full batch, and the end
		{3, idle, []time.Duration{0, 0, 0, 0, 0, 0, 0}, soon},                            // two of them
		{3, idle, []time.Duration{0, 0, 0, 0, 0, 0}, soon},                               // the end in the middle
		{1, idle, []time.Duration{ms, ms, ms, ms}, soon},                                 // batches of one entry
		{3, idle, []time.Duration{90 * ms, 90 * ms, 90 * ms, 90 * ms}, soon},             // each entry starts the time anew
		{9, idle, slices.Repeat([]time.Duration{100 * ms}, 20), soon},                    // just in time
		{9, idle, slices.Repeat([]time.Duration{101 * ms}, 20), soon},                    // just too late
		{3, idle, []time.Duration{0, 200 * ms, 0, 0, 200 * ms}, soon},                    // cut short
		{3, idle, []time.Duration{5000 * ms, 0, 5000 * ms}, soon},                        // nobody there
		{3, idle, []time.Duration{0, 0, 0, 350 * ms, 0, 0}, []time.Duration{300*ms + 1}}, // a busy caller
		{3, idle, []time.Duration{0, 0, 150 * ms, 90 * ms, 90 * ms, 90 * ms}, []time.Duration{80*ms + 1, 1}},
	} {
		s.run(t)
	}
}

// Entries that come one by one, many at once, and after long silence; callers who are busy
// for a shorter and for a longer time than an entry may take.
func TestRandomLogs(t *testing.T) {
	r := newRand(t)
	for range 300 {
		s := script{
			size:  1 + newSize(r, 30),
			idle:  time.Duration(1+newSize(r, 1000))*ms + 1,
			waits: make([]time.Duration, 1+r.IntN(60)),
			busy:  make([]time.Duration, 1+r.IntN(5)),
		}
		for i := range s.waits {
			if r.IntN(3) > 0 {
				s.waits[i] = time.Duration(float64(s.idle/ms)*2*r.Float64()*r.Float64()) * ms
			}
			if r.IntN(20) == 0 {
				s.waits[i] *= 10
			}
		}
		for i := range s.busy {
			s.busy[i] = time.Duration(float64(s.idle/ms)*3*r.Float64())*ms + 1
		}
		s.run(t)
	}
}

// Batches of all sizes, and waits from a millisecond to a day.
func TestSizes(t *testing.T) {
	r := newRand(t)
	for size := 1; size <= 1<<11; size *= 2 {
		s := script{size: size + r.IntN(size), idle: idle, busy: []time.Duration{1}}
		s.waits = make([]time.Duration, 3*s.size+r.IntN(s.size)+1)
		s.run(t)
		s.waits[s.size/2] = 101 * ms
		s.run(t)
	}
	large := script{size: 16<<10 + r.IntN(1<<10), idle: idle, busy: []time.Duration{1}}
	large.waits = make([]time.Duration, large.size+10)
	large.run(t)
	for _, d := range []time.Duration{ms, time.Second, 24 * time.Hour} {
		s := script{3, d + 1, []time.Duration{0, 0, 0, 7 * d, 0, d, d, d, 2 * d}, []time.Duration{1}}
		s.run(t)
	}
}

// Two batchers take turns.
func TestTwoBatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var entries [2]chan accesslog.Entry
		var batchers [2]*accesslog.Batcher
		for i := range batchers {
			entries[i] = make(chan accesslog.Entry, 3)
			batchers[i] = accesslog.NewBatcher(newClock(), entries[i], 3, idle)
		}
		for n := range 20 {
			i := n % 2
			for j := range n % 4 {
				entries[i] <- accesslog.Entry{Path: "/orders", Status: n + j}
			}
			if batch, more := batchers[i].Next(); len(batch) != n%4 || !more || !inOrder(batch, n) {
				t.Fatalf("wrong batch of one of two batchers\n  got:  %s, %v\n  want: %d entries from %d on, true",
					show(batch), more, n%4, n)
			}
		}
	})
}
