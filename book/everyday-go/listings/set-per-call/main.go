// Command set-per-call removes repeated names from a list.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: made
func unique(names []string) []string {
	seen := make(map[string]bool)
	kept := names[:0]
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			kept = append(kept, name)
		}
	}
	return kept
}

// ANCHOR_END: made

// ANCHOR: kept
type deduper struct {
	seen map[string]bool
}

func newDeduper() *deduper { return &deduper{make(map[string]bool)} }

func (d *deduper) unique(names []string) []string {
	clear(d.seen)
	kept := names[:0]
	for _, name := range names {
		if !d.seen[name] {
			d.seen[name] = true
			kept = append(kept, name)
		}
	}
	return kept
}

// ANCHOR_END: kept

// ANCHOR: main

// visits are the rooms of a day, 30 of them different.
func visits() []string {
	rooms := make([]string, 60)
	for i := range rooms {
		rooms[i] = fmt.Sprint("room ", i%30)
	}
	return rooms
}

func main() {
	rooms, list := visits(), make([]string, 60)
	fmt.Println("made:", testing.AllocsPerRun(1000, func() {
		copy(list, rooms)
		unique(list)
	}), "allocs")
	d := newDeduper()
	fmt.Println("kept:", testing.AllocsPerRun(1000, func() {
		copy(list, rooms)
		d.unique(list)
	}), "allocs")
}

// ANCHOR_END: main
