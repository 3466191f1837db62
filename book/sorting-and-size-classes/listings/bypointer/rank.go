// Package bypointer ranks a bird watcher's counts through sort.Interface, by a pointer.
package bypointer

import "sort"

// A Bird is one line of the list.
type Bird struct {
	Name  string
	Count int
}

// ANCHOR: list

// A List owns its birds.
type List struct {
	Birds []Bird
}

// Rank puts the most frequent birds first.
func (l *List) Rank() {
	sort.Sort((*byCount)(l))
}

type byCount List

func (b *byCount) Len() int           { return len(b.Birds) }
func (b *byCount) Less(i, j int) bool { return b.Birds[i].Count > b.Birds[j].Count }
func (b *byCount) Swap(i, j int)      { b.Birds[i], b.Birds[j] = b.Birds[j], b.Birds[i] }

// ANCHOR_END: list

// ANCHOR: local

// Rank does the same for a slice that nobody owns.
func Rank(birds []Bird) {
	l := List{birds}
	sort.Sort((*byCount)(&l))
}

// ANCHOR_END: local
