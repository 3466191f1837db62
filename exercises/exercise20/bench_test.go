package tree_test

import (
	"math/rand/v2"
	"testing"

	"onthestack/exercises/exercise20"
)

// usual is how many operations have the usual tree: the checker's figures are over
// these, and a pass is confirmed over many more.
const usual = 1001

// BenchmarkAll goes through a tree of 31 entries, one of which gets a new value before each
// operation. After the usual operations every other tree is of any size and shape, and
// every other loop stops somewhere.
func BenchmarkAll(b *testing.B) {
	r := newRand(b)
	type grown struct {
		tree    *tree.Tree
		entries []entry
	}
	// The usual tree is balanced, so that each run has the same figures.
	few := grown{tree: new(tree.Tree)}
	_, few.entries = newTree(r, 31)
	for step := 16; step > 0; step /= 2 {
		for i := step - 1; i < len(few.entries); i += 2 * step {
			few.tree.Set(few.entries[i].key, few.entries[i].value)
		}
	}
	var others []grown
	if b.N > usual {
		for n := range 70 {
			all, entries := newTree(r, n)
			others = append(others, grown{all, entries})
		}
		for _, n := range []int{200, 1000} {
			deep := grown{tree: new(tree.Tree)}
			for i := range n {
				deep.tree.Set(i, i)
				deep.entries = append(deep.entries, entry{i, i})
			}
			others = append(others, deep)
		}
	}

	clock := rand.IntN(1e8) // not from r: no call of this function repeats another's data
	b.ResetTimer()
	for i := range b.N {
		g, last := few, -1
		if i > usual && i%2 == 1 {
			g = others[i/2%len(others)]
			if i%4 == 1 && len(g.entries) > 0 {
				last = i % len(g.entries)
			}
		} else {
			e := &g.entries[(clock+i)%len(g.entries)]
			e.value = clock + i
			g.tree.Set(e.key, e.value)
		}
		n := 0
		for key, value := range g.tree.All() {
			if n == len(g.entries) {
				b.Fatalf("one entry too many, after %d\n  got:  key %d\n  want: the end", n, key)
			}
			if want := g.entries[n]; key != want.key || value != want.value {
				b.Fatalf("wrong entry %d of %d\n  got:  key %d, value %d\n  want: key %d, value %d", n+1,
					len(g.entries), key, value, want.key, want.value)
			}
			if n == last {
				break
			}
			n++
		}
		if last < 0 && n != len(g.entries) {
			b.Fatalf("wrong number of entries\n  got:  %d\n  want: %d", n, len(g.entries))
		}
	}
}
