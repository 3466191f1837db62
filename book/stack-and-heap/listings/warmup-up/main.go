// Command warmup-up returns a pointer where a value will do.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: task

type point struct{ x, y int }

// middle returns the point halfway between two others.
//
//go:noinline
func middle(a, b point) *point {
	return &point{(a.x + b.x) / 2, (a.y + b.y) / 2}
}

// ANCHOR_END: task

func main() {
	m := middle(point{0, 2}, point{4, 8})
	allocs := testing.AllocsPerRun(1000, func() { middle(point{0, 2}, point{4, 8}) })
	switch {
	case m.x != 2 || m.y != 5:
		fmt.Printf("Wrong: the middle is 2, 5, and not %d, %d.\n", m.x, m.y)
	case allocs > 0:
		fmt.Printf("Not yet: %v allocs/op, and the target is 0.\n", allocs)
	default:
		fmt.Println("Solved: 0 allocs/op.")
	}
}
