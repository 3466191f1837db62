// Command known-after-all makes a slice whose length is a variable that never varies.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: distinct

// distinct counts the different letters a to z of a word.
func distinct(word string) int {
	size := 128
	seen := make([]bool, size)
	n := 0
	for i := 0; i < len(word); i++ {
		if c := word[i] % 128; !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

func main() {
	fmt.Println(distinct("mississippi"),
		testing.AllocsPerRun(1000, func() { distinct("mississippi") }), "allocs")
}

// ANCHOR_END: distinct
