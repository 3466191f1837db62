// Command sizes shows where a slice of unknown length stops fitting in the frame.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: sizes
func main() {
	for _, size := range []int{5, 32, 33, 64} {
		allocs := testing.AllocsPerRun(1000, func() {
			window := make([]byte, size)
			window[size-1] = 1
		})
		fmt.Println(size, "bytes:", allocs, "allocs")
	}
}

// ANCHOR_END: sizes
