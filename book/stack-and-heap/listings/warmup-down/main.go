// Command warmup-down returns a new slice where the caller could bring its own.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: task

// squares returns the squares of 1 to n.
//
//go:noinline
func squares(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = (i + 1) * (i + 1)
	}
	return list
}

// sum adds up the squares of 1 to 10.
func sum() (total int) {
	for _, square := range squares(10) {
		total += square
	}
	return total
}

// ANCHOR_END: task

func main() {
	total := sum()
	allocs := testing.AllocsPerRun(1000, func() { sum() })
	switch {
	case total != 385:
		fmt.Printf("Wrong: the sum is 385, and not %d.\n", total)
	case allocs > 0:
		fmt.Printf("Not yet: %v allocs/op, and the target is 0.\n", allocs)
	default:
		fmt.Println("Solved: 0 allocs/op.")
	}
}
