// Command closure returns a closure.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func counter() func() int {
	n := 0
	return func() int {
		n++
		return n
	}
}

func main() {
	next := counter()
	next()
	fmt.Println(next(), testing.AllocsPerRun(1000, func() { counter() }), "allocs")
}
