// Command split-or-range goes through the fields of a line without a slice of them.
package main

import (
	"fmt"
	"strings"
	"testing"
)

// ANCHOR: fields
func bySplit(line string) (longest int) {
	for _, field := range strings.Split(line, ",") {
		longest = max(longest, len(field))
	}
	return longest
}

func bySplitSeq(line string) (longest int) {
	for field := range strings.SplitSeq(line, ",") {
		longest = max(longest, len(field))
	}
	return longest
}

func main() {
	line := "07:58,door 3,card 88,open"
	fmt.Println("Split:   ", testing.AllocsPerRun(1000, func() { bySplit(line) }), "allocs")
	fmt.Println("SplitSeq:", testing.AllocsPerRun(1000, func() { bySplitSeq(line) }), "allocs")
}

// ANCHOR_END: fields
