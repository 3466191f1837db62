// Command inlined-append appends in a function that is inlined into a loop.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: middle

// middle returns the number between the smallest and the largest of three.
func middle(a, b, c int) int {
	var sorted []int
	sorted = append(sorted, a, b, c)
	if sorted[0] > sorted[1] {
		sorted[0], sorted[1] = sorted[1], sorted[0]
	}
	if sorted[1] > sorted[2] {
		sorted[1] = sorted[2]
	}
	if sorted[0] > sorted[1] {
		sorted[1] = sorted[0]
	}
	return sorted[1]
}

// inlined and called add up n results of middle.
//
//go:noinline
func inlined(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += middle(i, 7, 20)
	}
	return sum
}

//go:noinline
func called(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += middleCalled(i, 7, 20)
	}
	return sum
}

//go:noinline
func middleCalled(a, b, c int) int { return middle(a, b, c) }

func main() {
	fmt.Println("inlined:", inlined(10), testing.AllocsPerRun(1000, func() { inlined(10) }), "allocs")
	fmt.Println("called: ", called(10), testing.AllocsPerRun(1000, func() { called(10) }), "allocs")
}

// ANCHOR_END: middle
