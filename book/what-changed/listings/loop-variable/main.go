// Command loop-variable refers to a loop's variable after the loop.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: bells

// A bell belongs to a door of a floor.
type bell struct{ floor, door int }

// functions makes a function for each bell, pointers a pointer to it.
func functions(ring []func() int) {
	for b := (bell{floor: 2}); b.door < len(ring); b.door++ {
		ring[b.door] = func() int { return b.door }
	}
}

func pointers(bells []*bell) {
	for b := (bell{floor: 2}); b.door < len(bells); b.door++ {
		bells[b.door] = &b
	}
}

func main() {
	ring, bells := make([]func() int, 4), make([]*bell, 4)
	fmt.Println("functions:", testing.AllocsPerRun(1000, func() { functions(ring) }), "allocs, the first says", ring[0]())
	fmt.Println("pointers: ", testing.AllocsPerRun(1000, func() { pointers(bells) }), "allocs, the first says", bells[0].door)
}

// ANCHOR_END: bells
