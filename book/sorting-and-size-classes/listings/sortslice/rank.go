// Package sortslice ranks a bird watcher's counts with sort.Slice.
package sortslice

import "sort"

// A Bird is one line of the list.
type Bird struct {
	Name  string
	Count int
}

// ANCHOR: rank

// Rank puts the most frequent birds first.
func Rank(birds []Bird) {
	sort.Slice(birds, func(i, j int) bool {
		return birds[i].Count > birds[j].Count
	})
}

// ANCHOR_END: rank
