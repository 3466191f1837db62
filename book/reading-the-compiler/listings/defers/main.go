// Command defers defers a function, once and in a loop.
package main

import (
	"fmt"
	"testing"
)

var closed int

//go:noinline
func once(n int) {
	defer func() { closed += n }()
}

//go:noinline
func each(n int) {
	for i := 0; i < 3; i++ {
		defer func() { closed += n }()
	}
}

func main() {
	fmt.Println("once:", testing.AllocsPerRun(1000, func() { once(1) }), "allocs")
	fmt.Println("each:", testing.AllocsPerRun(1000, func() { each(1) }), "allocs")
}
