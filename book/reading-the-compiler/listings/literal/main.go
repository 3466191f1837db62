// Command literal returns the address of a literal.
package main

import (
	"fmt"
	"testing"
)

type ticket struct{ number, window int }

//go:noinline
func issue(number int) *ticket {
	return &ticket{number: number}
}

func main() {
	fmt.Println(issue(42).number, testing.AllocsPerRun(1000, func() { issue(42) }), "allocs")
}
