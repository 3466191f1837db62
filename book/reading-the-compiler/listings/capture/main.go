// Command capture captures variables in a closure.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func twice(do func()) {
	do()
	do()
}

//go:noinline
func serve(first, last int) (served int) {
	twice(func() { served += last - first + 1 })
	return served
}

func main() {
	fmt.Println(serve(1, 3), testing.AllocsPerRun(1000, func() { serve(1, 3) }), "allocs")
}
