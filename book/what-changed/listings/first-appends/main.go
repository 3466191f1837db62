// Command first-appends looks for the longest field of a line.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: widest

// widest returns the length of the longest field of line.
//
//go:noinline
func widest(line string) int {
	var bounds []int
	begin := 0
	for i := 0; i <= len(line); i++ {
		if i == len(line) || line[i] == ',' {
			bounds = append(bounds, begin, i)
			begin = i + 1
		}
	}

	longest := 0
	for i := 0; i < len(bounds); i += 2 {
		if n := bounds[i+1] - bounds[i]; n > longest {
			longest = n
		}
	}
	return longest
}

func main() {
	for _, line := range []string{"07:58,door 3", "07:58,door 3,card 88"} {
		line := line
		fmt.Println(line, widest(line), testing.AllocsPerRun(1000, func() { widest(line) }), "allocs")
	}
}

// ANCHOR_END: widest
