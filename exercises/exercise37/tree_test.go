package tree_test

import (
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"onthestack/exercises/exercise37"
)

// check goes through a tree, and stops after the entry with the index last.
func check(t *testing.T, all *tree.Tree, want []entry, last int) {
	t.Helper()
	n := 0
	for key, value := range all.All() {
		if n >= len(want) {
			t.Fatalf("one entry too many, after %d\n  got:  key %d\n  want: the end", n, key)
		}
		if key != want[n].key || value != want[n].value {
			t.Fatalf("wrong entry %d of %d\n  got:  key %d, value %d\n  want: key %d, value %d", n+1, len(want), key,
				value, want[n].key, want[n].value)
		}
		if n++; n == last+1 {
			break
		}
	}
	if end := min(len(want), last+1); n != end {
		t.Fatalf("the loop ends too early, in a tree of %d entries\n  got:  %d entries\n  want: %d", len(want), n, end)
	}
}

const atTheEnd = math.MaxInt - 1

func TestAll(t *testing.T) {
	for _, test := range []struct {
		name string
		keys []int
	}{
		{"empty", nil},
		{"one", []int{7}},
		{"left", []int{3, 2, 1}},
		{"right", []int{1, 2, 3}},
		{"both", []int{2, 1, 3}},
		{"left, then right", []int{3, 1, 2}},
		{"right, then left", []int{1, 3, 2}},
		{"zero and below", []int{0, -1, 1, -2}},
		{"the same key again", []int{2, 1, 2, 3, 1, 2}},
		{"the extremes", []int{0, math.MaxInt, math.MinInt, math.MaxInt - 1, math.MinInt + 1}},
		{"seven", []int{4, 2, 6, 1, 3, 5, 7}},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := new(tree.Tree)
			values := map[int]int{}
			for i, key := range test.keys {
				all.Set(key, 100+i)
				values[key] = 100 + i
			}
			var want []entry
			for key, value := range values {
				want = append(want, entry{key, value})
			}
			slices.SortFunc(want, func(a, b entry) int {
				if a.key < b.key {
					return -1
				}
				return 1
			})
			for last := range want {
				check(t, all, want, last)
			}
			check(t, all, want, atTheEnd)
		})
	}
}

// The zero value is a tree, and so is a value that is not behind a pointer of the caller's.
func TestZero(t *testing.T) {
	var all tree.Tree
	check(t, &all, nil, atTheEnd)
	all.Set(0, 0)
	check(t, &all, []entry{{0, 0}}, atTheEnd)
	all.Set(0, 1)
	check(t, &all, []entry{{0, 1}}, atTheEnd)
}

// Each size, and a loop that stops at each entry.
func TestEverySize(t *testing.T) {
	r := newRand(t)
	for n := range 80 {
		all, want := newTree(r, n)
		for last := range want {
			check(t, all, want, last)
		}
		check(t, all, want, atTheEnd)
	}
	for n := 128; n <= 1<<17; n *= 2 {
		all, want := newTree(r, n+1)
		check(t, all, want, r.IntN(n))
		check(t, all, want, atTheEnd)
	}
}

// A tree may be as deep as it has entries, and have thousands of them.
func TestDepth(t *testing.T) {
	r := newRand(t)
	for n := 1; n <= 1<<10; n *= 2 {
		for _, side := range []side{left, right, either} {
			all, want := newPath(r, n+r.IntN(n), side)
			check(t, all, want, atTheEnd)
			check(t, all, want, r.IntN(n))
		}
	}
	// Pointers to all nodes take more than 128 KiB. The first entries are the deepest.
	deep := 1<<14 + 1
	if runtime.GOARCH == "wasm" {
		deep = 1<<11 + 1 // the stack of a browser is smaller
	}
	all, want := newPath(r, deep+r.IntN(1<<10), left)
	check(t, all, want, r.IntN(10))
}

// An iterator that was returned once may be used again, while it is in use, too.
func TestAgain(t *testing.T) {
	r := newRand(t)
	all, want := newTree(r, 40)
	entries := all.All()
	for range 3 {
		n := 0
		for key := range entries {
			if key != want[n].key {
				t.Fatalf("wrong key %d of an iterator that is used again\n  got:  %d\n  want: %d", n+1, key,
					want[n].key)
			}
			if n++; n == 25 {
				break
			}
		}
	}
	outer := 0
	for key := range entries {
		inner := 0
		for other, value := range entries {
			if other != want[inner].key || value != want[inner].value {
				t.Fatalf("wrong entry %d of a loop inside another\n  got:  %d, %d\n  want: %d, %d", inner+1, other,
					value, want[inner].key, want[inner].value)
			}
			if inner++; other == key {
				break
			}
		}
		if outer++; inner != outer {
			t.Fatalf("the inner loop ends at the wrong entry\n  got:  %d\n  want: %d", inner, outer)
		}
	}
	if outer != len(want) {
		t.Fatalf("the outer loop ends too early\n  got:  %d entries\n  want: %d", outer, len(want))
	}
}

// The tree may change between two loops.
func TestSetBetweenLoops(t *testing.T) {
	r := newRand(t)
	all := new(tree.Tree)
	values := map[int]int{}
	for range 60 {
		key, value := r.IntN(40), int(r.Uint64())
		all.Set(key, value)
		values[key] = value
		n, before := 0, math.MinInt
		for key, value := range all.All() {
			if want, ok := values[key]; !ok || value != want || key <= before {
				t.Fatalf("wrong entry after Set, in a tree of %d\n  got:  key %d after key %d, value %d\n"+
					"  want: value %d", len(values), key, before, value, want)
			}
			n, before = n+1, key
		}
		if n != len(values) {
			t.Fatalf("wrong number of entries after Set\n  got:  %d\n  want: %d", n, len(values))
		}
	}
}

// Once the loop's body has ended it, it is not called again: the language would panic, so
// this calls the iterator by hand.
func TestStops(t *testing.T) {
	r := newRand(t)
	for range 50 {
		all, want := newTree(r, 1+r.IntN(60))
		last, calls := r.IntN(len(want)), 0
		all.All()(func(key, value int) bool {
			calls++
			return calls <= last
		})
		if calls != last+1 {
			t.Fatalf("yield is called after it has returned false, in a tree of %d\n  got:  %d calls\n  want: %d",
				len(want), calls, last+1)
		}
	}
}

func TestTwoTrees(t *testing.T) {
	r := newRand(t)
	one, ones := newTree(r, 30)
	two, twos := newTree(r, 50)
	n := 0
	for key := range one.All() {
		check(t, two, twos, r.IntN(60))
		if key != ones[n].key {
			t.Fatalf("wrong key %d of a loop around one over another tree\n  got:  %d\n  want: %d", n+1, key,
				ones[n].key)
		}
		n++
	}
}

// Two loops over one tree go on in turn, and neither is inside the other.
func TestInTurn(t *testing.T) {
	r := newRand(t)
	for range 30 {
		all, want := newTree(r, 1+r.IntN(60))
		first, stopFirst := iter.Pull2(all.All())
		second, stopSecond := iter.Pull2(all.All())
		at := [2]int{}
		for range 3 * len(want) {
			which, next := 0, first
			if r.IntN(2) == 1 {
				which, next = 1, second
			}
			key, value, ok := next()
			n := at[which]
			at[which]++
			if more := n < len(want); ok != more || more && (entry{key, value}) != want[n] {
				t.Fatalf("wrong entry %d of %d when two loops go on in turn\n  got:  key %d, value %d, %v\n"+
					"  want: key %d, value %d, %v", n+1, len(want), key, value, ok, want[min(n, len(want)-1)].key,
					want[min(n, len(want)-1)].value, more)
			}
			if n >= len(want) {
				break
			}
		}
		stopFirst()
		check(t, all, want, r.IntN(len(want)))
		stopSecond()
		check(t, all, want, atTheEnd)
	}
}

// A loop's body may panic, inside a loop over the same tree too. Other loops do not notice.
func TestPanics(t *testing.T) {
	r := newRand(t)
	for range 10 {
		all, want := newTree(r, 1+r.IntN(60))
		for range 10 {
			n, outer := 0, r.IntN(len(want))
			for key, value := range all.All() {
				if n == len(want) || (entry{key, value}) != want[n] {
					t.Fatalf("wrong entry %d of %d after a loop inside has panicked\n  got:  key %d, value %d\n"+
						"  want: key %d, value %d", n+1, len(want), key, value, want[n%len(want)].key,
						want[n%len(want)].value)
				}
				if n == outer {
					for range r.IntN(4) {
						panicAt(all.All(), r.IntN(len(want)))
					}
					check(t, all, want, r.IntN(2*len(want)))
				}
				n++
			}
			if n != len(want) {
				t.Fatalf("the loop ends too early after a loop inside has panicked\n  got:  %d entries\n  want: %d", n,
					len(want))
			}
			panicAt(all.All(), r.IntN(len(want)))
			check(t, all, want, atTheEnd)
		}
	}
}

// panicAt goes through entries with a body that panics at entry n.
func panicAt(entries iter.Seq2[int, int], n int) {
	defer func() { recover() }()
	for range entries {
		if n == 0 {
			panic("the loop's body panics")
		}
		n--
	}
}

// The memory of a tree depends on its entries, not on the loops that went through it.
func TestMemory(t *testing.T) {
	r := newRand(t)
	for _, test := range []struct{ entries, loops int }{{3, 20_000}, {2000, 100}} {
		want := 8<<10 + 96*test.entries
		got := want + 1
		for range 3 { // what the runtime allocates for itself is not there every time
			got = min(got, kept(1, func() *tree.Tree {
				all, _ := newTree(r, test.entries)
				for i := range test.loops {
					stop := i % test.entries
					for range all.All() {
						if stop--; stop < 0 && i%3 > 0 {
							break
						}
					}
				}
				return all
			}))
			if got <= want {
				break
			}
		}
		if got > want {
			t.Errorf("a tree keeps more memory than its entries take\n  entries: %d\n  loops:   %d\n"+
				"  got:     %d bytes\n  want:    at most %d bytes", test.entries, test.loops, got, want)
		}
	}
}

// Goroutines go through one tree at once.
func TestAtOnce(t *testing.T) {
	r := newRand(t)
	all, want := newTree(r, 200)
	entries := all.All()
	var loops sync.WaitGroup
	for range 8 {
		loops.Go(func() {
			for round := range 50 {
				n := 0
				for key, value := range entries {
					if key != want[n].key || value != want[n].value {
						t.Errorf("wrong entry %d when goroutines go through a tree at once\n  got:  %d, %d\n"+
							"  want: %d, %d", n+1, key, value, want[n].key, want[n].value)
						return
					}
					if n++; n == 100+round {
						break
					}
				}
			}
		})
	}
	loops.Wait()
}
