// Command unique-handle makes a handle for a text that it has seen before.
package main

import (
	"fmt"
	"testing"
	"unique"
)

// ANCHOR: handle
func handle(room string) unique.Handle[string] {
	return unique.Make(room)
}

// ANCHOR_END: handle

var (
	room = "the conservatory on the first floor, north side"
	kept = unique.Make(room)
	same bool
)

func main() {
	fmt.Println("Make:", testing.AllocsPerRun(1000, func() { same = handle(room) == kept }), "allocs", same)
}
