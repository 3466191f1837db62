// Command moved returns the address of a variable.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func next(ticket int) *int {
	ticket++
	following := ticket
	return &following
}

func main() {
	fmt.Println(*next(41), testing.AllocsPerRun(1000, func() { next(41) }), "allocs")
}
