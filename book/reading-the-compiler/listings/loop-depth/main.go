// Command loop-depth stores an address in a variable from outside the loop.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func longest(lengths []int) int {
	best := new(int)
	for _, length := range lengths {
		if length > *best {
			best = &length
		}
	}
	return *best
}

func main() {
	lengths := []int{3, 9, 4, 12}
	fmt.Println(longest(lengths), testing.AllocsPerRun(1000, func() { longest(lengths) }), "allocs")
}
