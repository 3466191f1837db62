package tree_test

import (
	"testing"

	"onthestack/exercises/exercise37"
)

// BenchmarkAllConfirmSizes goes through trees of all sizes and shapes, with loops that
// stop anywhere.
func BenchmarkAllConfirmSizes(b *testing.B) {
	r := newRand(b)
	trees := []summedTree{{new(tree.Tree), []int{0}}}
	for _, n := range newSizes(r, 2000) {
		trees = append(trees, summed(newTree(r, n)))
	}
	loopOver(b, trees)
}

// BenchmarkAllConfirmDepths goes through trees that are as deep as they have entries.
func BenchmarkAllConfirmDepths(b *testing.B) {
	r := newRand(b)
	var trees []summedTree
	for _, n := range newSizes(r, 2000) {
		trees = append(trees, summed(newPath(r, n, side(r.IntN(3)))))
	}
	loopOver(b, trees)
}

// A summedTree is a tree with the sum of its first n keys and values, for each n.
type summedTree struct {
	*tree.Tree
	sums []int
}

func summed(t *tree.Tree, entries []entry) summedTree {
	sums := []int{0}
	for i, e := range entries {
		sums = append(sums, sums[i]+(e.key^e.value))
	}
	return summedTree{t, sums}
}

// loopOver goes through a tree in each operation, up to the last entry or any other one.
// It compares the sum of what it reads with the sum that must come.
func loopOver(b *testing.B, trees []summedTree) {
	r := newRand(b)
	stops := make([]int, 1009)
	for i := range stops {
		stops[i] = newSize(r, 6000)
	}
	i := 0
	for b.Loop() {
		t, stop := &trees[i%len(trees)], stops[i%len(stops)]
		left, got := stop, 0
		for key, value := range t.All() {
			got += key ^ value
			if left--; left == 0 {
				break
			}
		}
		if want := t.sums[min(stop, len(t.sums)-1)]; got != want {
			b.Fatalf("wrong entries\n  tree: %d entries, of which a loop reads up to %d\n  got:  the sum %d\n  want: the sum %d",
				len(t.sums)-1, stop, got, want)
		}
		i++
	}
}
