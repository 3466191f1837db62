// Command range-bytes looks at the bytes of a string.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: marks

// marks counts the question marks of a query.
func marks(query string) int {
	n := 0
	for _, c := range []byte(query) {
		if c == '?' {
			n++
		}
	}
	return n
}

func main() {
	short, long := "UPDATE doors SET open = ?", "UPDATE doors SET open = ? WHERE building = ? AND level = ?"
	fmt.Println(marks(short), testing.AllocsPerRun(1000, func() { marks(short) }), "allocs")
	fmt.Println(marks(long), testing.AllocsPerRun(1000, func() { marks(long) }), "allocs")
}

// ANCHOR_END: marks
