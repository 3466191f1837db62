// Command key-of-bytes counts in a map whose keys come as bytes.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: increment
func count(visits map[string]int, room []byte) {
	visits[string(room)]++
}

// ANCHOR_END: increment

// ANCHOR: pointer
func countTo(visits map[string]*int, room []byte) {
	n := visits[string(room)]
	if n == nil {
		n = new(int)
		visits[string(room)] = n
	}
	*n++
}

// ANCHOR_END: pointer

// ANCHOR: lookup
func lookUp(visits map[string]int, room []byte) int {
	return visits[string(room)]
}

// ANCHOR_END: lookup

var room = []byte("the conservatory on the first floor, north side")

func main() {
	counts, pointers := make(map[string]int), make(map[string]*int)
	fmt.Println("increment:", testing.AllocsPerRun(1000, func() { count(counts, room) }), "allocs")
	fmt.Println("pointer:  ", testing.AllocsPerRun(1000, func() { countTo(pointers, room) }), "allocs")
	fmt.Println("look up:  ", testing.AllocsPerRun(1000, func() { lookUp(counts, room) }), "allocs")
}
