// Command sync-map looks up and stores in a sync.Map.
package main

import (
	"fmt"
	"sync"
	"testing"
)

var shared sync.Map

// ANCHOR: load
func load(room string) (int, bool) {
	lux, ok := shared.Load(room)
	if !ok {
		return 0, false
	}
	return lux.(int), true
}

// ANCHOR_END: load

// ANCHOR: store
func store(room string, lux int) {
	shared.Store(room, lux)
}

// ANCHOR_END: store

var room = "the conservatory on the first floor, north side"

func main() {
	store(room, 1200)
	fmt.Println("Load: ", testing.AllocsPerRun(1000, func() { load(room) }), "allocs")
	fmt.Println("Store:", testing.AllocsPerRun(1000, func() { store(room, 1200) }), "allocs")
}
