// Package cache keeps answers by what they are the answers to, and has equal tasks that are under way at once done once.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// A Key names a task by the hash of all that its answer depends on. The zero Key names a task whose answer is neither kept nor
// shared.
type Key [sha256.Size]byte

// KeyOf returns the key of what the parts name together, in their order.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		// With the lengths, "ab","c" and "a","bc" differ.
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return Key(h.Sum(nil))
}

// An Answer is what came of a task. It is shared: nobody may change it.
type Answer struct {
	Body  []byte
	Steps []Step // told to those who have the kept answer, as if they had waited for it
	// Passing is true for an answer that may be another one another time. It goes to those that wait for it, and is not kept.
	Passing bool
}

// A Step is what a task reports on its way.
type Step struct{ Kind, Text string }

// An Outcome is how an answer was had.
type Outcome string

const (
	Hit    Outcome = "hit"    // it was kept
	Miss   Outcome = "miss"   // the task was done for this request
	Shared Outcome = "shared" // the task was under way for another request already
)

// A Cache keeps answers up to a number of bytes; which ones it gives up is its own choice, by how recently and how often they
// were asked for. It is safe for concurrent use.
type Cache struct {
	kept *otter.Cache[Key, Answer] // nil: nothing is kept

	mu      sync.Mutex
	flights map[Key]*flight // the tasks under way that others may share
	flying  int             // how many are under way, those that nobody may share or waits for among them
	landed  sync.Cond       // told when one has ended
}

// New returns a cache that keeps up to maxBytes; with 0 it keeps nothing, and equal tasks at one time are still done once.
func New(maxBytes uint64) (*Cache, error) {
	c := &Cache{flights: map[Key]*flight{}}
	c.landed.L = &c.mu
	if maxBytes == 0 {
		return c, nil
	}
	var err error
	c.kept, err = otter.New(&otter.Options[Key, Answer]{
		MaximumWeight: maxBytes,
		Weigher:       weigh,
		StatsRecorder: stats.NewCounter(),
	})
	return c, err
}

// weigh is the size of an entry in bytes, without the cache's own bookkeeping.
func weigh(key Key, a Answer) uint32 {
	n := len(key) + len(a.Body)
	for _, step := range a.Steps {
		n += len(step.Kind) + len(step.Text)
	}
	return uint32(min(n, 1<<32-1))
}

// Counts tell what a cache holds, and how many answers it gave up for want of room.
type Counts struct {
	Entries, Bytes, Evictions uint64
}

// Counts returns what the cache holds.
func (c *Cache) Counts() Counts {
	if c.kept == nil {
		return Counts{}
	}
	return Counts{
		Entries:   uint64(c.kept.EstimatedSize()),
		Bytes:     c.kept.WeightedSize(),
		Evictions: c.kept.Stats().Evictions,
	}
}

// Work does a task. Its ctx is done when nobody waits for the answer any more; its values are those of the request for which the
// task was begun.
type Work func(ctx context.Context, f *Flight) (Answer, error)

// Do returns the answer to the task that key names: the kept one, the one of an equal task under way, or the one of work. Where
// ctx is done first the error is its cause; the task goes on as long as another waits for it. A failed task fails for all that
// wait for it, and nothing of it is kept; a panic of work's is such a failure.
//
// who asks is told to the task, see Flight.Parties. step, unless nil, is called with each step that the task reports and has
// reported before, or with each of a kept answer's, one after the other and before Do returns.
func (c *Cache) Do(ctx context.Context, key Key, who string, step func(Step), work Work) (Answer, Outcome, error) {
	f, answer, outcome := c.join(ctx, key, who, work)
	if outcome != Hit {
		var err error
		if answer, err = f.wait(ctx, step); err != nil {
			return Answer{}, outcome, err
		}
	} else if step != nil {
		for _, s := range answer.Steps {
			step(s)
		}
	}
	return answer, outcome, nil
}

// Waiting is how many wait for the task that key names, 0 where it is not under way.
func (c *Cache) Waiting(key Key) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[key]
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting
}

// Wait waits until no task is under way.
func (c *Cache) Wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.flying > 0 {
		c.landed.Wait()
	}
}

// join finds the kept answer, or else the flight that will have it, and has one more wait for it.
func (c *Cache) join(ctx context.Context, key Key, who string, work Work) (*flight, Answer, Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A flight's answer is kept in the same moment in which the flight ends.
	if c.kept != nil {
		if a, ok := c.kept.GetIfPresent(key); ok {
			return nil, a, Hit
		}
	}
	if f := c.flights[key]; f != nil {
		f.join(who)
		return f, Answer{}, Shared
	}
	f := newFlight(c, key)
	f.join(who)
	if key != (Key{}) {
		c.flights[key] = f
	}
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.flying++
	go f.fly(ctx, work)
	return f, Answer{}, Miss
}

// end keeps the answer of a flight that is over, unless it failed or is a passing one.
func (c *Cache) end(f *flight, a Answer, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
	c.landed.Broadcast()
	if c.flights[f.key] != f {
		return // nobody waited to the end, or the key is none
	}
	delete(c.flights, f.key)
	if keep && c.kept != nil {
		c.kept.Set(f.key, a)
	}
}

// abandon cancels a flight for which nobody waits; who asks for the same later has it done anew.
func (c *Cache) abandon(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !f.leave() {
		return
	}
	if c.flights[f.key] == f {
		delete(c.flights, f.key)
	}
	f.cancel()
}
