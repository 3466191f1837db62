// Command sharing counts what four ways of making an order allocate.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: sharing

type order struct{ cups, cents int }

//go:noinline
func down(o *order, cups int) { *o = order{cups, 320 * cups} }

//go:noinline
func up(cups int) *order { return &order{cups, 320 * cups} }

//go:noinline
func value(cups int) order { return order{cups, 320 * cups} }

func inlined(cups int) *order { return &order{cups, 320 * cups} }

var cents int // what is computed has to go somewhere

func main() {
	count := func(way string, f func()) {
		fmt.Printf("%-8s %v allocs\n", way, testing.AllocsPerRun(1000, f))
	}
	count("down", func() { var o order; down(&o, 3); cents += o.cents })
	count("up", func() { o := up(3); cents += o.cents })
	count("value", func() { o := value(3); cents += o.cents })
	count("inlined", func() { o := inlined(3); cents += o.cents })
}

// ANCHOR_END: sharing
