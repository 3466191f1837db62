// Command frame compares where the local variables of several calls are.
package main

import (
	"fmt"
	"unsafe"
)

// ANCHOR: frame

// total returns the sum of three prices, and where its variable sum was.
//
//go:noinline
func total(a, b, c int) (cents int, place uintptr) {
	var sum int
	add(&sum, a)
	add(&sum, b)
	add(&sum, c)
	return sum, uintptr(unsafe.Pointer(&sum)) // a number, which keeps nothing alive
}

//go:noinline
func add(sum *int, cents int) { *sum += cents }

func main() {
	tea, first := total(320, 320, 320)
	cake, second := total(450, 450, 410)
	fmt.Println(tea, "cents and", cake, "cents")
	fmt.Println("the second sum was in the place of the first:", first == second)
}

// ANCHOR_END: frame
