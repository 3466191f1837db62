// Command defer-in-loop locks and unlocks many doors.
package main

import (
	"fmt"
	"sync"
	"testing"
)

type door struct {
	mu     sync.Mutex
	visits int
}

// ANCHOR: loop
func countAll(doors []door) {
	for i := range doors {
		doors[i].mu.Lock()
		defer doors[i].mu.Unlock()
		doors[i].visits++
	}
}

// ANCHOR_END: loop

// ANCHOR: each
func countEach(doors []door) {
	for i := range doors {
		doors[i].count()
	}
}

func (d *door) count() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.visits++
}

// ANCHOR_END: each

// ANCHOR: main
func main() {
	doors := make([]door, 8)
	fmt.Println("in the loop:", testing.AllocsPerRun(1000, func() { countAll(doors) }), "allocs")
	fmt.Println("in a call:  ", testing.AllocsPerRun(1000, func() { countEach(doors) }), "allocs")
}

// ANCHOR_END: main
