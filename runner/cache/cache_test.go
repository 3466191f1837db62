package cache

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
	c, err := New(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is work that has its answer at once.
func answer(text string) Work {
	return func(context.Context, *Flight) (Answer, error) { return Answer{Body: []byte(text)}, nil }
}

// do does work that is to succeed.
func do(t *testing.T, c *Cache, key Key, work Work) (string, Outcome) {
	t.Helper()
	a, outcome, err := c.Do(t.Context(), key, "me", nil, work)
	if err != nil {
		t.Fatal(err)
	}
	return string(a.Body), outcome
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

func TestKept(t *testing.T) {
	for _, size := range []uint64{0, 1 << 20} {
		c := newCache(t, size)
		again := Hit
		if size == 0 {
			again = Miss
		}
		for i, want := range []Outcome{Miss, again, again} {
			if body, outcome := do(t, c, KeyOf("a"), answer("A")); body != "A" || outcome != want {
				t.Errorf("%d bytes, time %d: %s, %s; want %s", size, i, body, outcome, want)
			}
		}
		if body, outcome := do(t, c, KeyOf("b"), answer("B")); body != "B" || outcome != Miss {
			t.Errorf("%d bytes: another task: %s, %s", size, body, outcome)
		}
	}
}

func TestNotKept(t *testing.T) {
	mistake := errors.New("failed")
	for name, c := range map[string]struct {
		key  Key
		work Work
		err  string
	}{
		"failed":   {KeyOf("a"), func(context.Context, *Flight) (Answer, error) { return Answer{}, mistake }, "failed"},
		"panicked": {KeyOf("a"), func(context.Context, *Flight) (Answer, error) { panic("no") }, "panic: no"},
		"passing":  {KeyOf("a"), func(context.Context, *Flight) (Answer, error) { return Answer{Passing: true}, nil }, ""},
		"no key":   {Key{}, answer("A"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			kept := newCache(t, 1<<20)
			for range 2 {
				_, outcome, err := kept.Do(t.Context(), c.key, "me", nil, c.work)
				if outcome != Miss || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s, error %v", outcome, err)
				}
			}
			if n := kept.Counts(); n.Entries != 0 || len(kept.flights) != 0 {
				t.Errorf("%+v are kept, flights %v", n, kept.flights)
			}
		})
	}
}

// TestOneFlight has a hundred ask for the same at once.
func TestOneFlight(t *testing.T) {
	for _, size := range []uint64{0, 1 << 20} {
		for _, passing := range []bool{false, true} {
			c := newCache(t, size)
			var times, asked atomic.Int64
			outcomes := make(chan Outcome, 100)
			var all sync.WaitGroup
			for i := range cap(outcomes) {
				all.Go(func() {
					asked.Add(1)
					a, outcome, err := c.Do(t.Context(), KeyOf("a"), fmt.Sprint(i), nil, func(context.Context, *Flight) (Answer, error) {
						times.Add(1)
						for len(c.parties("a")) < cap(outcomes) {
							time.Sleep(time.Millisecond)
						}
						return Answer{Body: []byte("A"), Passing: passing}, nil
					})
					if err != nil || string(a.Body) != "A" {
						t.Errorf("%s, error %v", a.Body, err)
					}
					outcomes <- outcome
				})
			}
			all.Wait()
			close(outcomes)
			count := map[Outcome]int{}
			for o := range outcomes {
				count[o]++
			}
			if times.Load() != 1 || count[Miss] != 1 || count[Shared] != 99 {
				t.Errorf("%d bytes, passing %v: done %d times: %v", size, passing, times.Load(), count)
			}
		}
	}
}

// parties are those that wait for a task under way.
func (c *Cache) parties(key string) []string {
	c.mu.Lock()
	f := c.flights[KeyOf(key)]
	c.mu.Unlock()
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.parties)
}

func TestOneOfTwoLeaves(t *testing.T) {
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := newCache(t, 0)
			why := errors.New("the client has left")
			work := func(ctx context.Context, f *Flight) (Answer, error) {
				select {
				case <-time.After(time.Minute):
					return Answer{Body: []byte("A")}, nil
				case <-ctx.Done():
					return Answer{}, context.Cause(ctx)
				}
			}
			contexts := make([]context.Context, 2)
			cancels := make([]context.CancelCauseFunc, 2)
			errs := make([]error, 2)
			var both sync.WaitGroup
			for i := range contexts {
				contexts[i], cancels[i] = context.WithCancelCause(t.Context())
				both.Go(func() { _, _, errs[i] = c.Do(contexts[i], KeyOf("a"), "me", nil, work) })
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
				t.Errorf("who leaves gets %v, who stays %v", errs[leaver], errs[stayer])
			}
		})
	}
}

func TestLastLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 0)
		var ended atomic.Bool
		slow := func(ctx context.Context, f *Flight) (Answer, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // a process takes its time to end
			ended.Store(true)
			return Answer{Body: []byte("late")}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, _, err := c.Do(ctx, KeyOf("a"), "me", nil, slow); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		both.Wait()
		// Who comes now has nothing of the task that was given up.
		if body, outcome := do(t, c, KeyOf("a"), answer("new")); body != "new" || outcome != Miss {
			t.Errorf("%s, %s", body, outcome)
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

// TestValuesNotDeadlines holds that a task lives in the values of its first request, and not by its end.
func TestValuesNotDeadlines(t *testing.T) {
	type name struct{}
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), name{}, "first"), time.Hour)
	defer cancel()
	_, _, err := newCache(t, 0).Do(ctx, Key{}, "me", nil, func(ctx context.Context, f *Flight) (Answer, error) {
		if _, ok := ctx.Deadline(); ok || ctx.Value(name{}) != "first" {
			t.Errorf("deadline %v, value %v", ok, ctx.Value(name{}))
		}
		return Answer{}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20)
		var all sync.WaitGroup
		ask := func(who string) (told func() string) {
			var mu sync.Mutex
			var steps []string
			hear := func(step Step) { mu.Lock(); defer mu.Unlock(); steps = append(steps, step.Text) }
			all.Go(func() {
				_, _, err := c.Do(t.Context(), KeyOf("a"), who, hear, func(_ context.Context, f *Flight) (Answer, error) {
					steps := []Step{{"step", "one"}, {"step", "two"}, {"step", "three"}}
					for _, step := range steps {
						time.Sleep(time.Minute)
						f.Step(step)
					}
					return Answer{Body: []byte("A"), Steps: steps}, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			return func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(steps, " ") }
		}
		first := ask("first")
		time.Sleep(90 * time.Second)
		synctest.Wait()
		if got := first(); got != "one" {
			t.Errorf("after the first step %q were told", got)
		}
		second := ask("second")
		if got := second(); got != "one" {
			t.Errorf("who comes later was told %q", got)
		}
		all.Wait()
		third := ask("third")
		all.Wait()
		for who, told := range map[string]func() string{"first": first, "second": second, "third": third} {
			if got := told(); got != "one two three" {
				t.Errorf("the %s was told %q", who, got)
			}
		}
	})
}

func TestParties(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 0)
		var all sync.WaitGroup
		var mu sync.Mutex
		var joined []string
		ask := func(who string) {
			all.Go(func() {
				c.Do(t.Context(), KeyOf("a"), who, nil, func(_ context.Context, f *Flight) (Answer, error) {
					time.Sleep(time.Minute)
					f.Parties(func(who string) { mu.Lock(); defer mu.Unlock(); joined = append(joined, who) })
					time.Sleep(time.Minute)
					return Answer{}, nil
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

// TestBounded keeps more than there is room for.
func TestBounded(t *testing.T) {
	const size, each = 1 << 20, 10 << 10
	c := newCache(t, size)
	body := bytes.Repeat([]byte("x"), each)
	for i := range 500 {
		if _, outcome := do(t, c, KeyOf(fmt.Sprint(i)), answer(string(body))); outcome != Miss {
			t.Fatal(outcome)
		}
	}
	c.kept.CleanUp()
	n := c.Counts()
	if n.Bytes > size || n.Bytes < size/2 || n.Entries < size/each/2 || n.Entries+n.Evictions != 500 {
		t.Errorf("of 500 answers of %d bytes: %+v", each, n)
	}
	kept := 0
	for i := range 500 {
		if _, outcome := do(t, c, KeyOf(fmt.Sprint(i)), func(context.Context, *Flight) (Answer, error) { return Answer{Passing: true}, nil }); outcome == Hit {
			kept++
		}
	}
	if kept == 0 || uint64(kept) > n.Entries {
		t.Errorf("%d of %d are kept", kept, n.Entries)
	}
	// One that is larger than all of the room is not kept, and drives nothing out.
	do(t, c, KeyOf("large"), answer(strings.Repeat("x", 2*size)))
	c.kept.CleanUp()
	if after := c.Counts(); after.Bytes > size || after.Entries < n.Entries {
		t.Errorf("after a large one %+v, before %+v", after, n)
	}
}

func TestWeight(t *testing.T) {
	a := Answer{Body: make([]byte, 100), Steps: []Step{{"stage", "policy"}, {"stage", "build"}}}
	if got := weigh(Key{}, a); got != 32+100+21 {
		t.Errorf("weight %d", got)
	}
}

func BenchmarkHit(b *testing.B) {
	c, err := New(1 << 20)
	if err != nil {
		b.Fatal(err)
	}
	key := KeyOf("a")
	for b.Loop() {
		if _, _, err := c.Do(b.Context(), key, "me", nil, answer("A")); err != nil {
			b.Fatal(err)
		}
	}
}
