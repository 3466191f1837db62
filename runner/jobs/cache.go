package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// A Key is a hash of everything that a job's answer depends on.
type Key [sha256.Size]byte

// KeyOf returns the key for a sequence of texts.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		// The lengths make "ab","c" and "a","bc" differ.
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return Key(h.Sum(nil))
}

// An answer is the encoded result of a job. Several clients share it, so it must not be modified.
type answer struct {
	body      []byte
	events    []Event // replayed to clients that get the cached answer
	transient bool    // see Result.Transient
}

// A CacheStatus says where an answer came from.
type CacheStatus string

const (
	Hit    CacheStatus = "hit"    // from the cache
	Miss   CacheStatus = "miss"   // the work was done for this job
	Shared CacheStatus = "shared" // an equal job was under way already
)

// A Cache stores answers up to a total size, and has the work of equal jobs that are under way at the same time done
// once. The eviction policy, which is that of package otter, considers how recently and how often an answer was used.
// A Cache is safe for concurrent use.
type Cache struct {
	answers *otter.Cache[Key, answer] // nil if the size is 0

	mu      sync.Mutex
	flights map[Key]*flight // flights that further jobs can join
	active  int             // number of all flights, including those that no job can join or waits for
	ended   sync.Cond       // signaled when a flight ends
}

// NewCache returns a cache for answers of up to maxBytes together. With 0 it stores none, and equal jobs still share
// a flight.
func NewCache(maxBytes uint64) (*Cache, error) {
	c := &Cache{flights: map[Key]*flight{}}
	c.ended.L = &c.mu
	if maxBytes == 0 {
		return c, nil
	}
	var err error
	c.answers, err = otter.New(&otter.Options[Key, answer]{
		MaximumWeight: maxBytes,
		Weigher:       weigh,
		StatsRecorder: stats.NewCounter(),
	})
	return c, err
}

// weigh returns the size of an entry in bytes, without the cache's own bookkeeping.
func weigh(key Key, a answer) uint32 {
	n := len(key) + len(a.body)
	for _, e := range a.events {
		n += len(e.Name) + len(e.Data)
	}
	return uint32(min(n, 1<<32-1))
}

// CacheCounts are the contents of a cache, and the number of answers that it has removed to make room for others.
type CacheCounts struct {
	Entries, Bytes, Evictions uint64
}

// Counts returns the cache's current counts.
func (c *Cache) Counts() CacheCounts {
	if c.answers == nil {
		return CacheCounts{}
	}
	return CacheCounts{
		Entries:   uint64(c.answers.EstimatedSize()),
		Bytes:     c.answers.WeightedSize(),
		Evictions: c.answers.Stats().Evictions,
	}
}

// do returns the answer to a job: from the cache, from the flight of an equal job, or from a new flight that calls
// work. If ctx ends first, the error is its cause, and the flight goes on as long as another job waits for it. A
// failed flight fails for all jobs that wait for it, and its answer is not stored; a panic in work is a failure too.
//
// The context that work gets has the values of ctx, and ends when no job waits for the flight any more.
func (c *Cache) do(ctx context.Context, j *Job, work flightWork) (answer, CacheStatus, error) {
	f, a, status := c.join(ctx, j, work)
	if status != Hit {
		a, err := f.wait(ctx, j)
		if status == Miss {
			j.QueueTime += f.queueTime()
		}
		return a, status, err
	}
	if j.Notify != nil {
		for _, e := range a.events {
			j.Notify(e)
		}
	}
	return a, Hit, nil
}

// Waiting returns how many jobs wait for the flight with the given key, 0 if there is no such flight.
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

// Wait waits until no flight is under way.
func (c *Cache) Wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.active > 0 {
		c.ended.Wait()
	}
}

// join returns the stored answer to a job, or else a flight that the job has joined.
func (c *Cache) join(ctx context.Context, j *Job, work flightWork) (*flight, answer, CacheStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A flight's answer is stored under the same lock under which the flight ends, so that no equal job finds neither.
	if c.answers != nil {
		if a, ok := c.answers.GetIfPresent(j.Key); ok {
			return nil, a, Hit
		}
	}
	if f := c.flights[j.Key]; f != nil {
		f.join(j.Client)
		return f, answer{}, Shared
	}
	f := &flight{cache: c, job: *j, changed: make(chan struct{})}
	f.join(j.Client)
	if j.Key != (Key{}) {
		c.flights[j.Key] = f
	}
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.active++
	go f.run(ctx, work)
	return f, answer{}, Miss
}

// end removes a flight that has ended, and stores its answer if store is set.
func (c *Cache) end(f *flight, a answer, store bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	c.ended.Broadcast()
	if c.flights[f.job.Key] != f {
		return // every client has left, or the key is zero
	}
	delete(c.flights, f.job.Key)
	if store && c.answers != nil {
		c.answers.Set(f.job.Key, a)
	}
}

// leave has one job less wait for a flight, and cancels a flight for which none is left. An equal job that comes
// later then begins a new flight.
func (c *Cache) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !f.leave() {
		return
	}
	if c.flights[f.job.Key] == f {
		delete(c.flights, f.job.Key)
	}
	f.cancel()
}
