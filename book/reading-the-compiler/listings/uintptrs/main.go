// Command uintptrs passes an address as a number.
package main

import (
	"fmt"
	"testing"
	"unsafe"
)

// mark sees addresses as numbers. The directive keeps what they are made of
// alive and in its place during the call.
//
//go:uintptrescapes
//go:noinline
func mark(first uintptr, others ...uintptr) int { return len(others) }

//go:noinline
func marked() int {
	a, b := 1, 2
	return mark(uintptr(unsafe.Pointer(&a)), uintptr(unsafe.Pointer(&b)))
}

func main() {
	fmt.Println(marked(), testing.AllocsPerRun(1000, func() { marked() }), "allocs")
}
