// Command returned-appends finds the fields of a line and hands their places to its caller.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: fields

// fields returns where each field of line begins and ends.
//
//go:noinline
func fields(line string) []int {
	var bounds []int
	begin := 0
	for i := 0; i <= len(line); i++ {
		if i == len(line) || line[i] == ',' {
			bounds = append(bounds, begin, i)
			begin = i + 1
		}
	}
	return bounds
}

var found []int // on the heap, like all that it refers to

func main() {
	for _, line := range []string{"07:58,door 3", "07:58,door 3,card 88"} {
		line := line
		allocs := testing.AllocsPerRun(1000, func() { found = fields(line) })
		fmt.Println(line, found, allocs, "allocs")
	}
}

// ANCHOR_END: fields
