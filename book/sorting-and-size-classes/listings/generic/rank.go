// Package generic ranks a bird watcher's counts with slices.SortFunc.
package generic

import (
	"cmp"
	"slices"
)

// A Bird is one line of the list.
type Bird struct {
	Name  string
	Count int
}

// ANCHOR: rank

// Rank puts the most frequent birds first.
func Rank(birds []Bird) {
	slices.SortFunc(birds, func(a, b Bird) int {
		return cmp.Compare(b.Count, a.Count)
	})
}

// ANCHOR_END: rank
