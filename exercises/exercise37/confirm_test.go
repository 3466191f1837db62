package tree_test

import (
	"testing"

	"onthestack/exercises/exercise37"
)

// BenchmarkAllConfirmSizes goes through trees of all sizes and shapes, with loops that
// stop anywhere.
func BenchmarkAllConfirmSizes(b *testing.B) {
	r := newRand(b)
	trees := []*tree.Tree{new(tree.Tree)}
	for _, n := range newSizes(r, 2000) {
		t, _ := newTree(r, n)
		trees = append(trees, t)
	}
	loopOver(b, trees)
}

// BenchmarkAllConfirmDepths goes through trees that are as deep as they have entries.
func BenchmarkAllConfirmDepths(b *testing.B) {
	r := newRand(b)
	var trees []*tree.Tree
	for _, n := range newSizes(r, 2000) {
		t, _ := newPath(r, n, side(r.IntN(3)))
		trees = append(trees, t)
	}
	loopOver(b, trees)
}

// loopOver goes through a tree in each operation, up to the last entry or any other one.
func loopOver(b *testing.B, trees []*tree.Tree) {
	r := newRand(b)
	stops := make([]int, 1009)
	for i := range stops {
		stops[i] = newSize(r, 6000)
	}
	i, sum := 0, 0
	for b.Loop() {
		left := stops[i%len(stops)]
		for key, value := range trees[i%len(trees)].All() {
			sum += key ^ value
			if left--; left == 0 {
				break
			}
		}
		i++
	}
}
