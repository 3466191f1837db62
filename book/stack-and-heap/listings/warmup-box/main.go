// Command warmup-box keeps a value in an interface that holds only one type.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: task

type reading struct{ station, tenths int }

var latest any // a reading

// note keeps a reading until the next one.
//
//go:noinline
func note(r reading) { latest = r }

// last returns the reading that was kept.
func last() reading { return latest.(reading) }

// ANCHOR_END: task

func main() {
	note(reading{7, 215})
	allocs := testing.AllocsPerRun(1000, func() { note(reading{7, 215}) })
	switch r := last(); {
	case r != (reading{7, 215}):
		fmt.Printf("Wrong: the latest reading is {7 215}, and not %v.\n", r)
	case allocs > 0:
		fmt.Printf("Not yet: %v allocs/op, and the target is 0.\n", allocs)
	default:
		fmt.Println("Solved: 0 allocs/op.")
	}
}
