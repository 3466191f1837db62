// Command declared-array counts the different numbers of a list in an array of 200 KiB.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: distinct

// distinct counts the different numbers of a list. Each is less than 200 << 10.
func distinct(numbers []int) int {
	var seen [200 << 10]bool
	count := 0
	for _, n := range numbers {
		if !seen[n] {
			seen[n] = true
			count++
		}
	}
	return count
}

// ANCHOR_END: distinct

func main() {
	numbers := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	fmt.Println(distinct(numbers), testing.AllocsPerRun(1000, func() { distinct(numbers) }), "allocs")
}
