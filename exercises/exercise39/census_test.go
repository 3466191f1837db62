package census_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onthestack/exercises/exercise39"
)

// A street counts how often its households are asked, and how many of them at once.
type street struct {
	asked  []atomic.Int32
	now    atomic.Int32
	atOnce atomic.Int32 // the most that were asked at once
}

func newStreet(households int) *street { return &street{asked: make([]atomic.Int32, households)} }

func (s *street) ask(household int) {
	now := s.now.Add(1)
	for most := s.atOnce.Load(); now > most && !s.atOnce.CompareAndSwap(most, now); most = s.atOnce.Load() {
	}
	s.asked[household].Add(1)
	runtime.Gosched()
	s.now.Add(-1)
}

// check compares what a street has seen, once Ask has returned.
func (s *street) check(t *testing.T, clerks int) {
	t.Helper()
	for i := range s.asked {
		if got := s.asked[i].Load(); got != 1 {
			t.Fatalf("a household is not asked exactly once\n  household: %d of %d\n  clerks:    %d\n  got:       %d\n"+
				"  want:      1", i, len(s.asked), clerks, got)
		}
	}
	if got := s.now.Load(); got != 0 {
		t.Fatalf("calls are still in progress when Ask returns\n  households: %d\n  clerks:     %d\n  got:        %d\n"+
			"  want:       0", len(s.asked), clerks, got)
	}
	if got := s.atOnce.Load(); int(got) > clerks {
		t.Fatalf("more calls at once than there are clerks\n  households: %d\n  got:        %d\n  want:       %d",
			len(s.asked), got, clerks)
	}
}

func TestAsk(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, households := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 60, 100} {
		for _, clerks := range []int{1, 2, 3, 4, 5, 8, 59, 60, 61, 1000} {
			s := newStreet(households)
			ask(t, households, clerks, s.ask)
			s.check(t, clerks)
			if n := left(before); n > 0 {
				t.Fatalf("goroutines are left behind\n  households: %d\n  clerks:     %d\n  got:        %d\n"+
					"  want:       0", households, clerks, n)
			}
		}
	}
}

func TestRandomNumbers(t *testing.T) {
	r := newRand(t)
	for range 100 {
		clerks := 1 + r.IntN(20)
		s := newStreet(r.IntN(200))
		census.Ask(len(s.asked), clerks, s.ask)
		s.check(t, clerks)
	}
}

// More households than 64 Ki, and more clerks than anybody has.
func TestMany(t *testing.T) {
	for _, clerks := range []int{1, 4, 5000} {
		s := newStreet(1<<16 + 100)
		census.Ask(len(s.asked), clerks, s.ask)
		s.check(t, clerks)
	}
}

// As many calls are in progress at once as there may be: the clerks work at the same time,
// few and thousands of them, with fewer households and with more.
func TestInProgress(t *testing.T) {
	r := newRand(t)
	for households := range 6 {
		for clerks := range 6 {
			together(t, households, 1+clerks)
		}
	}
	for n := 8; n <= 1<<12; n *= 2 {
		few := n + r.IntN(n/2)
		together(t, few, few)
		together(t, few+r.IntN(4*n), few)
		together(t, few, few+r.IntN(1<<16))
	}
	for range 20 {
		together(t, newSize(r, 6000), newSize(r, 6000))
	}
}

// together calls Ask so that each call waits until as many are in progress as there may be.
// One who is done goes on with the next household.
func together(t *testing.T, households, clerks int) {
	t.Helper()
	want := min(households, clerks)
	all, late := make(chan bool), make(chan bool)
	timer := time.AfterFunc(patience, func() { close(late) })
	defer timer.Stop()
	var begun, now, most atomic.Int32
	var tooFew atomic.Bool
	census.Ask(households, clerks, func(int) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if int(begun.Add(1)) == want {
			close(all)
		}
		select {
		case <-all:
		case <-late:
			tooFew.Store(true)
		}
		now.Add(-1)
	})
	if tooFew.Load() {
		t.Fatalf("too few calls are in progress at once\n  households: %d\n  clerks:     %d\n  got:        %d\n"+
			"  want:       %d", households, clerks, most.Load(), want)
	}
	if got := int(begun.Load()); got != households {
		t.Fatalf("a household is not asked exactly once\n  households: %d\n  clerks:     %d\n  got:        %d calls\n"+
			"  want:       %d", households, clerks, got, households)
	}
	if got := int(most.Load()); got > clerks {
		t.Fatalf("more calls at once than there are clerks\n  households: %d\n  got:        %d\n  want:       %d",
			households, got, clerks)
	}
}

// One household takes until all others have been asked.
func TestOneTakesLong(t *testing.T) {
	r := newRand(t)
	for range 40 {
		households, clerks := 1+newSize(r, 3000), 1+newSize(r, 300)
		long := r.IntN(households)
		var asked, late atomic.Int32
		others := make(chan bool)
		census.Ask(households, clerks, func(i int) {
			if i == long {
				select {
				case <-others:
				case <-time.After(patience):
					late.Add(1)
				}
				return
			}
			if int(asked.Add(1)) == households-1 {
				close(others)
			}
		})
		if late.Load() > 0 {
			t.Fatalf("a household that takes long keeps the other clerks from their work\n"+
				"  household:  %d of %d\n  clerks:     %d\n  got:        not all asked meanwhile\n"+
				"  want:       %d asked meanwhile", long, households, clerks, households-1)
		}
	}
}

// Goroutines ask streets of their own at once, and a call of ask asks another street.
func TestNested(t *testing.T) {
	before := runtime.NumGoroutine()
	var towns sync.WaitGroup
	for range 4 {
		towns.Go(func() {
			for range 5 {
				streets := make([]*street, 6)
				census.Ask(len(streets), 3, func(i int) {
					streets[i] = newStreet(7 * i)
					census.Ask(7*i, 2, streets[i].ask)
				})
				for _, s := range streets {
					s.check(t, 2)
				}
			}
		})
	}
	towns.Wait()
	if n := left(before); n > 0 {
		t.Errorf("goroutines are left behind\n  got:  %d\n  want: 0", n)
	}
}

// All that ask wrote can be read after Ask has returned.
func TestResults(t *testing.T) {
	results := make([]int, 1000)
	for n := range 20 {
		census.Ask(len(results), 1+n, func(i int) { results[i] += i })
		for i, got := range results {
			if want := (n + 1) * i; got != want {
				t.Fatalf("wrong result\n  household: %d\n  got:       %d\n  want:      %d", i, got, want)
			}
		}
	}
}
