// Command collected-keys makes a sorted list of a map's keys.
package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

var lux = map[string]int{
	"attic": 3, "bath": 80, "cellar": 5, "den": 60, "entry": 90, "foyer": 75,
	"garage": 20, "hall": 120, "kitchen": 200, "loft": 40, "nursery": 55, "study": 150,
}

// ANCHOR: sorted
func rooms() []string {
	return slices.Sorted(maps.Keys(lux))
}

// ANCHOR_END: sorted

// ANCHOR: sized
func roomsSized() []string {
	names := slices.AppendSeq(make([]string, 0, len(lux)), maps.Keys(lux))
	slices.Sort(names)
	return names
}

// ANCHOR_END: sized

var names []string

func main() {
	fmt.Println("Sorted:   ", testing.AllocsPerRun(1000, func() { names = rooms() }), "allocs")
	fmt.Println("AppendSeq:", testing.AllocsPerRun(1000, func() { names = roomsSized() }), "allocs")
}
