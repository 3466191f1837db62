package queue

import (
	"bytes"
	"context"
	"encoding/json"
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

// newCache returns a queue in which all tasks have slots.
func newCache(t testing.TB, bytes uint64) *Queue {
	t.Helper()
	c, err := New(1000, 0, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// returns is work that returns this answer at once.
func returns(text string) Work {
	return func(context.Context, *Task) (Result, error) { return Result{Value: text}, nil }
}

// do has a job done that must succeed.
func do(t *testing.T, c *Queue, key Key, work Work) (string, CacheStatus) {
	t.Helper()
	a, err := c.Do(t.Context(), &Request{Key: key, Client: "me", Work: work})
	if err != nil {
		t.Fatal(err)
	}
	return unquoted(t, a), a.CacheStatus
}

// unquoted returns an answer that is a JSON string.
func unquoted(t *testing.T, a Answer) (text string) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &text); err != nil {
		t.Errorf("%q: %v", a.Body, err)
	}
	return text
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
		work Work
		err  string
	}{
		"failed":   {KeyOf("a"), func(context.Context, *Task) (Result, error) { return Result{}, mistake }, "failed"},
		"panicked": {KeyOf("a"), func(context.Context, *Task) (Result, error) { panic("no") }, "panic: no"},
		"transient": {KeyOf("a"), func(context.Context, *Task) (Result, error) {
			return Result{Transient: true}, nil
		}, ""},
		"no key": {Key{}, returns("A"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			cache := newCache(t, 1<<20)
			for range 2 {
				want := Miss
				if c.key == (Key{}) {
					want = ""
				}
				a, err := cache.Do(t.Context(), &Request{Key: c.key, Client: "me", Work: c.work})
				if a.CacheStatus != want || (err == nil) != (c.err == "") ||
					err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s, error %v", a.CacheStatus, err)
				}
			}
			if n := cache.Stored(); n.Entries != 0 || len(cache.tasks) != 0 {
				t.Errorf("%+v are stored, tasks %v", n, cache.tasks)
			}
		})
	}
}

// TestOneTask has a hundred clients send equal requests at once.
func TestOneTask(t *testing.T) {
	for _, size := range []uint64{0, 1 << 20} {
		for _, transient := range []bool{false, true} {
			c := newCache(t, size)
			var times atomic.Int64
			statuses := make(chan CacheStatus, 100)
			var all sync.WaitGroup
			for i := range cap(statuses) {
				all.Go(func() {
					a, err := c.Do(t.Context(), &Request{Key: KeyOf("a"), Client: fmt.Sprint(i),
						Work: func(context.Context, *Task) (Result, error) {
							times.Add(1)
							for c.Requests(KeyOf("a")) < cap(statuses) {
								time.Sleep(time.Millisecond)
							}
							return Result{Value: "A", Transient: transient}, nil
						}})
					if err != nil || string(a.Body) != `"A"` {
						t.Errorf("%s, error %v", a.Body, err)
					}
					statuses <- a.CacheStatus
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

func TestOneOfTwoLeaves(t *testing.T) {
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := newCache(t, 0)
			why := errors.New("the client has left")
			work := func(ctx context.Context, _ *Task) (Result, error) {
				select {
				case <-time.After(time.Minute):
					return Result{Value: "A"}, nil
				case <-ctx.Done():
					return Result{}, context.Cause(ctx)
				}
			}
			contexts := make([]context.Context, 2)
			cancels := make([]context.CancelCauseFunc, 2)
			errs := make([]error, 2)
			var both sync.WaitGroup
			for i := range contexts {
				contexts[i], cancels[i] = context.WithCancelCause(t.Context())
				both.Go(func() {
					_, errs[i] = c.Do(contexts[i], &Request{Key: KeyOf("a"), Client: "me", Work: work})
				})
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
		slow := func(ctx context.Context, _ *Task) (Result, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // a process takes its time to end
			ended.Store(true)
			return Result{Value: "late"}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := c.Do(ctx, &Request{Key: KeyOf("a"), Client: "me", Work: slow}); !errors.Is(err,
					context.Canceled) {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		both.Wait()
		// A request that comes now does not share the canceled task.
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
		if len(c.tasks) != 0 {
			t.Errorf("tasks %v are left", c.tasks)
		}
	})
}

// TestValuesNotDeadlines tests that the context of work has the values of the first request's context, and not its
// deadline.
func TestValuesNotDeadlines(t *testing.T) {
	type name struct{}
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), name{}, "first"), time.Hour)
	defer cancel()
	_, err := newCache(t, 0).Do(ctx, &Request{Client: "me", Work: func(ctx context.Context, _ *Task) (Result, error) {
		if _, ok := ctx.Deadline(); ok || ctx.Value(name{}) != "first" {
			t.Errorf("deadline %v, value %v", ok, ctx.Value(name{}))
		}
		return Result{}, nil
	}})
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
				_, err := c.Do(t.Context(), &Request{Key: KeyOf("a"), Client: who, Notify: notify,
					Work: func(_ context.Context, task *Task) (Result, error) {
						for _, name := range []string{"one", "two", "two", "three"} { // a stage is told once
							time.Sleep(30 * time.Second)
							task.Tell(Stage(name))
							time.Sleep(30 * time.Second)
						}
						return Result{Value: "A"}, nil
					}})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			return func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(stages, " ") }
		}
		first := ask("first")
		time.Sleep(80 * time.Second)
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

// TestLastPicture tests that only the last picture of a task is kept: work that is done anew makes one each time.
func TestLastPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20)
		var all sync.WaitGroup
		ask := func(told *[]string) {
			notify := func(e Event) { *told = append(*told, e.Data) }
			all.Go(func() {
				c.Do(t.Context(), &Request{Key: KeyOf("a"), Notify: notify,
					Work: func(_ context.Context, task *Task) (Result, error) {
						for _, text := range []string{"one", "two", "three"} {
							task.Tell(Event{EventPicture, text})
							c.mu.Lock()
							task.queued()
							c.mu.Unlock()
							time.Sleep(time.Minute)
						}
						return Result{Value: "A"}, nil
					}})
			})
			synctest.Wait()
		}
		var first, second []string
		ask(&first)
		time.Sleep(90 * time.Second)
		ask(&second)
		all.Wait()
		const queued = `{"position":0}`
		if want := []string{"one", queued, "two", queued, "three", queued}; !slices.Equal(first, want) {
			t.Errorf("the first was told %q", first)
		}
		if want := []string{queued, "two", queued, "three", queued}; !slices.Equal(second, want) {
			t.Errorf("the second was told %q", second)
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
	n := c.Stored()
	if n.Bytes > size || n.Bytes < size/2 || n.Entries < size/each/2 || n.Entries+n.Evictions != 500 {
		t.Errorf("of 500 answers of %d bytes: %+v", each, n)
	}
	stored := 0
	for i := range 500 {
		a, err := c.Do(t.Context(), &Request{Key: KeyOf(fmt.Sprint(i)), Work: func(context.Context, *Task) (Result, error) {
			return Result{Transient: true}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if a.CacheStatus == Hit {
			stored++
		}
	}
	if stored == 0 || uint64(stored) > n.Entries {
		t.Errorf("%d of %d are stored", stored, n.Entries)
	}
	// An answer that is larger than the cache is not stored, and evicts nothing.
	do(t, c, KeyOf("large"), returns(strings.Repeat("x", 2*size)))
	c.answers.CleanUp()
	if after := c.Stored(); after.Bytes > size || after.Entries < n.Entries {
		t.Errorf("after a large one %+v, before %+v", after, n)
	}
}

func TestWeight(t *testing.T) {
	a := Answer{Body: make([]byte, 100), stages: []Event{{"stage", "policy"}, {"stage", "build"}}}
	if got := weigh(Key{}, a); got != 32+100+21 {
		t.Errorf("weight %d", got)
	}
}

func BenchmarkHit(b *testing.B) {
	c := newCache(b, 1<<20)
	key := KeyOf("a")
	for b.Loop() {
		if _, err := c.Do(b.Context(), &Request{Key: key, Client: "me", Work: returns("A")}); err != nil {
			b.Fatal(err)
		}
	}
}
