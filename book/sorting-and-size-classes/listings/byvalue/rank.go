// Package byvalue ranks a bird watcher's counts through sort.Interface.
package byvalue

import "sort"

// ANCHOR: rank

// A Bird is one line of the list.
type Bird struct {
	Name  string
	Count int
}

// Rank puts the most frequent birds first.
func Rank(birds []Bird) {
	sort.Sort(byCount(birds))
}

type byCount []Bird

func (b byCount) Len() int           { return len(b) }
func (b byCount) Less(i, j int) bool { return b[i].Count > b[j].Count }
func (b byCount) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// ANCHOR_END: rank
