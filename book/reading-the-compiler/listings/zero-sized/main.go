// Command zero-sized makes a slice of elements without size.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func seats(n int) int {
	taken := make([]struct{}, 3)
	return len(taken[:n])
}

func main() {
	fmt.Println(seats(2), testing.AllocsPerRun(1000, func() { seats(2) }), "allocs")
}
