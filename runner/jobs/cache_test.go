package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func newCache(t *testing.T, bytes uint64) *Cache {
	t.Helper()
	c, err := NewCache(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// returns is work that returns this answer at once.
func returns(text string) func(context.Context, *flight) (answer, error) {
	return func(context.Context, *flight) (answer, error) { return answer{body: []byte(text)}, nil }
}

// do has a job done that must succeed.
func do(t *testing.T, c *Cache, key Key, work flightWork) (string, CacheStatus) {
	t.Helper()
	a, status, err := c.do(t.Context(), &Job{Key: key, Client: "me"}, work)
	if err != nil {
		t.Fatal(err)
	}
	return string(a.body), status
}

func TestKeys(t *testing.T) {
	seen := map[Key][]string{{}: nil}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"c", "ab"}} {
		key := KeyOf(parts...)
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have the same key", parts, other)
		}
		seen[key] = parts
		if key != KeyOf(parts...) {
			t.Errorf("%q has two keys", parts)
		}
	}
}

func TestStored(t *testing.T) {
	for _, size := range []uint64{0, 1 << 20} {
		c := newCache(t, size)
		again := Hit
		if size == 0 {
			again = Miss
		}
		for i, want := range []CacheStatus{Miss, again, again} {
			if body, status := do(t, c, KeyOf("a"), returns("A")); body != "A" || status != want {
				t.Errorf("%d bytes, time %d: %s, %s; want %s", size, i, body, status, want)
			}
		}
		if body, status := do(t, c, KeyOf("b"), returns("B")); body != "B" || status != Miss {
			t.Errorf("%d bytes: the task differs: %s, %s", size, body, status)
		}
	}
}

func TestNotStored(t *testing.T) {
	mistake := errors.New("failed")
	for name, c := range map[string]struct {
		key  Key
		work flightWork
		err  string
	}{
		"failed": {KeyOf("a"), func(context.Context, *flight) (answer, error) { return answer{}, mistake },
			"failed"},
		"panicked": {KeyOf("a"), func(context.Context, *flight) (answer, error) { panic("no") }, "panic: no"},
		"transient": {KeyOf("a"), func(context.Context, *flight) (answer, error) {
			return answer{transient: true},
				nil
		}, ""},
		"no key": {Key{}, returns("A"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			cache := newCache(t, 1<<20)
			for range 2 {
				_, status, err := cache.do(t.Context(), &Job{Key: c.key, Client: "me"}, c.work)
				if status != Miss || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(),
					c.err) {
					t.Errorf("%s, error %v", status, err)
				}
			}
			if n := cache.Counts(); n.Entries != 0 || len(cache.flights) != 0 {
				t.Errorf("%+v are stored, flights %v", n, cache.flights)
			}
		})
	}
}

// TestOneFlight has a hundred clients send equal jobs at once.
func TestOneFlight(t *testing.T) {
	for _, size := range []uint64{0, 1 << 20} {
		for _, transient := range []bool{false, true} {
			c := newCache(t, size)
			var times, asked atomic.Int64
			statuses := make(chan CacheStatus, 100)
			var all sync.WaitGroup
			for i := range cap(statuses) {
				all.Go(func() {
					asked.Add(1)
					a, status, err := c.do(t.Context(), &Job{Key: KeyOf("a"), Client: fmt.Sprint(i)},
						func(context.Context, *flight) (answer, error) {
							times.Add(1)
							for len(c.clientsOf("a")) < cap(statuses) {
								time.Sleep(time.Millisecond)
							}
							return answer{body: []byte("A"), transient: transient}, nil
						})
					if err != nil || string(a.body) != "A" {
						t.Errorf("%s, error %v", a.body, err)
					}
					statuses <- status
				})
			}
			all.Wait()
			close(statuses)
			count := map[CacheStatus]int{}
			for o := range statuses {
				count[o]++
			}
			if times.Load() != 1 || count[Miss] != 1 || count[Shared] != 99 {
				t.Errorf("%d bytes, transient %v: the work was done %d times: %v", size, transient, times.Load(), count)
			}
		}
	}
}

// clientsOf returns the clients whose jobs have joined a flight.
func (c *Cache) clientsOf(key string) []string {
	c.mu.Lock()
	f := c.flights[KeyOf(key)]
	c.mu.Unlock()
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.clients)
}

func TestOneOfTwoLeaves(t *testing.T) {
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := newCache(t, 0)
			why := errors.New("the client has left")
			work := func(ctx context.Context, f *flight) (answer, error) {
				select {
				case <-time.After(time.Minute):
					return answer{body: []byte("A")}, nil
				case <-ctx.Done():
					return answer{}, context.Cause(ctx)
				}
			}
			contexts := make([]context.Context, 2)
			cancels := make([]context.CancelCauseFunc, 2)
			errs := make([]error, 2)
			var both sync.WaitGroup
			for i := range contexts {
				contexts[i], cancels[i] = context.WithCancelCause(t.Context())
				both.Go(func() { _, _, errs[i] = c.do(contexts[i], &Job{Key: KeyOf("a"), Client: "me"}, work) })
				synctest.Wait()
			}
			leaver, stayer := 1, 0
			if first {
				leaver, stayer = 0, 1
			}
			time.Sleep(time.Second)
			cancels[leaver](why)
			both.Wait()
			if errs[leaver] != why || errs[stayer] != nil {
				t.Errorf("the client that leaves gets %v, the other %v", errs[leaver], errs[stayer])
			}
		})
	}
}

func TestLastLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 0)
		var ended atomic.Bool
		slow := func(ctx context.Context, f *flight) (answer, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // a process takes its time to end
			ended.Store(true)
			return answer{body: []byte("late")}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, _, err := c.do(ctx, &Job{Key: KeyOf("a"), Client: "me"}, slow); !errors.Is(err,
					context.Canceled) {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		both.Wait()
		// A job that comes now does not share the canceled flight.
		if body, status := do(t, c, KeyOf("a"), returns("new")); body != "new" || status != Miss {
			t.Errorf("%s, %s", body, status)
		}
		if ended.Load() {
			t.Error("the task ended before its time")
		}
		c.Wait()
		if !ended.Load() {
			t.Errorf("Wait returned before the task ended")
		}
		if len(c.flights) != 0 {
			t.Errorf("flights %v are left", c.flights)
		}
	})
}

// TestValuesNotDeadlines tests that the context of work has the values of the first job's context, and not its
// deadline.
func TestValuesNotDeadlines(t *testing.T) {
	type name struct{}
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), name{}, "first"), time.Hour)
	defer cancel()
	_, _, err := newCache(t, 0).do(ctx, &Job{Client: "me"}, func(ctx context.Context, f *flight) (answer, error) {
		if _, ok := ctx.Deadline(); ok || ctx.Value(name{}) != "first" {
			t.Errorf("deadline %v, value %v", ok, ctx.Value(name{}))
		}
		return answer{}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20)
		var all sync.WaitGroup
		ask := func(who string) (told func() string) {
			var mu sync.Mutex
			var stages []string
			notify := func(e Event) { mu.Lock(); defer mu.Unlock(); stages = append(stages, e.Data) }
			all.Go(func() {
				_, _, err := c.do(t.Context(), &Job{Key: KeyOf("a"), Client: who, Notify: notify},
					func(_ context.Context,
						f *flight) (answer, error) {
						for _, name := range []string{"one", "two", "three"} {
							time.Sleep(time.Minute)
							f.tell(Stage(name))
						}
						return f.answer(Result{Value: "A"})
					})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			return func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(stages, " ") }
		}
		first := ask("first")
		time.Sleep(90 * time.Second)
		synctest.Wait()
		if got := first(); got != `{"stage":"one"}` {
			t.Errorf("after the first step %q were reported", got)
		}
		second := ask("second")
		if got := second(); got != `{"stage":"one"}` {
			t.Errorf("who comes later was told %q", got)
		}
		all.Wait()
		third := ask("third")
		all.Wait()
		for who, told := range map[string]func() string{"first": first, "second": second, "third": third} {
			if got := told(); got != `{"stage":"one"} {"stage":"two"} {"stage":"three"}` {
				t.Errorf("the %s was told %q", who, got)
			}
		}
	})
}

// TestLastPicture tests that only the last picture of a flight is kept: work that is done anew makes one each time.
func TestLastPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20)
		var all sync.WaitGroup
		ask := func(told *[]string) {
			notify := func(e Event) { *told = append(*told, e.Data) }
			all.Go(func() {
				c.do(t.Context(), &Job{Key: KeyOf("a"), Notify: notify},
					func(_ context.Context, f *flight) (answer, error) {
						for _, text := range []string{"one", "two", "three"} {
							f.tell(Event{EventPicture, text})
							f.queued(1)
							time.Sleep(time.Minute)
						}
						return f.answer(Result{Value: "A"})
					})
			})
			synctest.Wait()
		}
		var first, second []string
		ask(&first)
		time.Sleep(90 * time.Second)
		ask(&second)
		all.Wait()
		const queued = `{"position":1}`
		if want := []string{"one", queued, "two", queued, "three", queued}; !slices.Equal(first, want) {
			t.Errorf("the first was told %q", first)
		}
		if want := []string{queued, "two", queued, "three", queued}; !slices.Equal(second, want) {
			t.Errorf("the second was told %q", second)
		}
	})
}

func TestOnJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 0)
		var all sync.WaitGroup
		var mu sync.Mutex
		var joined []string
		ask := func(who string) {
			all.Go(func() {
				c.do(t.Context(), &Job{Key: KeyOf("a"), Client: who}, func(_ context.Context, f *flight) (answer,
					error) {
					time.Sleep(time.Minute)
					f.onJoin(func(who string) { mu.Lock(); defer mu.Unlock(); joined = append(joined, who) })
					time.Sleep(time.Minute)
					return answer{}, nil
				})
			})
			synctest.Wait()
		}
		ask("first")
		ask("second")
		time.Sleep(90 * time.Second)
		ask("third")
		all.Wait()
		if got := strings.Join(joined, " "); got != "first second third" {
			t.Errorf("%q joined", got)
		}
	})
}

// TestBounded stores more answers than the cache has room for.
func TestBounded(t *testing.T) {
	const size, each = 1 << 20, 10 << 10
	c := newCache(t, size)
	body := bytes.Repeat([]byte("x"), each)
	for i := range 500 {
		if _, status := do(t, c, KeyOf(fmt.Sprint(i)), returns(string(body))); status != Miss {
			t.Fatal(status)
		}
	}
	c.answers.CleanUp()
	n := c.Counts()
	if n.Bytes > size || n.Bytes < size/2 || n.Entries < size/each/2 || n.Entries+n.Evictions != 500 {
		t.Errorf("of 500 answers of %d bytes: %+v", each, n)
	}
	stored := 0
	for i := range 500 {
		if _, status := do(t, c, KeyOf(fmt.Sprint(i)), func(context.Context, *flight) (answer, error) {
			return answer{transient: true}, nil
		}); status == Hit {
			stored++
		}
	}
	if stored == 0 || uint64(stored) > n.Entries {
		t.Errorf("%d of %d are stored", stored, n.Entries)
	}
	// An answer that is larger than the cache is not stored, and evicts nothing.
	do(t, c, KeyOf("large"), returns(strings.Repeat("x", 2*size)))
	c.answers.CleanUp()
	if after := c.Counts(); after.Bytes > size || after.Entries < n.Entries {
		t.Errorf("after a large one %+v, before %+v", after, n)
	}
}

func TestWeight(t *testing.T) {
	a := answer{body: make([]byte, 100), events: []Event{{"stage", "policy"}, {"stage", "build"}}}
	if got := weigh(Key{}, a); got != 32+100+21 {
		t.Errorf("weight %d", got)
	}
}

func BenchmarkHit(b *testing.B) {
	c, err := NewCache(1 << 20)
	if err != nil {
		b.Fatal(err)
	}
	key := KeyOf("a")
	for b.Loop() {
		if _, _, err := c.do(b.Context(), &Job{Key: key, Client: "me"}, returns("A")); err != nil {
			b.Fatal(err)
		}
	}
}
