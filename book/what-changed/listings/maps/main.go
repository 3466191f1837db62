// Command maps fills maps.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: maps

// distinct counts the different numbers of a list.
func distinct(numbers []int) int {
	set := make(map[int]bool)
	for _, n := range numbers {
		set[n] = true
	}
	return len(set)
}

// distinctOf does the same with room for ninety.
func distinctOf(numbers []int) int {
	set := make(map[int]bool, 90)
	for _, n := range numbers {
		set[n] = true
	}
	return len(set)
}

func main() {
	numbers := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	fmt.Println("no size:", distinct(numbers), testing.AllocsPerRun(1000, func() { distinct(numbers) }), "allocs")
	fmt.Println("for 90: ", distinctOf(numbers), testing.AllocsPerRun(1000, func() { distinctOf(numbers) }), "allocs")
}

// ANCHOR_END: maps
