// Command preallocate lists the doors of a building that are open.
package main

import (
	"fmt"
	"testing"
)

type door struct {
	name string
	open bool
}

// ANCHOR: append

//go:noinline
func openDoors(doors []door) []string {
	var names []string
	for _, d := range doors {
		if d.open {
			names = append(names, d.name)
		}
	}
	return names
}

// ANCHOR_END: append

// ANCHOR: bounded

//go:noinline
func openDoorsBounded(doors []door) []string {
	names := make([]string, 0, len(doors))
	for _, d := range doors {
		if d.open {
			names = append(names, d.name)
		}
	}
	return names
}

// ANCHOR_END: bounded

// ANCHOR: counted

//go:noinline
func openDoorsCounted(doors []door) []string {
	n := 0
	for _, d := range doors {
		if d.open {
			n++
		}
	}
	names := make([]string, 0, n)
	for _, d := range doors {
		if d.open {
			names = append(names, d.name)
		}
	}
	return names
}

// ANCHOR_END: counted

// building returns forty doors, of which every second one is open.
func building() []door {
	doors := make([]door, 40)
	for i := range doors {
		doors[i] = door{fmt.Sprint("door ", i), i%2 == 0}
	}
	return doors
}

var names []string

func main() {
	doors := building()
	fmt.Println("append: ", testing.AllocsPerRun(1000, func() { names = openDoors(doors) }), "allocs")
	fmt.Println("bounded:", testing.AllocsPerRun(1000, func() { names = openDoorsBounded(doors) }), "allocs")
	fmt.Println("counted:", testing.AllocsPerRun(1000, func() { names = openDoorsCounted(doors) }), "allocs")
}
