// Command owner shows when an array inside a struct saves an allocation.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: owner
type inside struct {
	text []byte
	room [64]byte
}

func (b *inside) begin() { b.text = b.room[:0] }

type beside struct {
	text []byte
	room *[64]byte
}

func (b *beside) begin() { b.text = b.room[:0] }

// A connection is made once and used for a long time.
type connection struct {
	name string
	out  inside
}

type other struct {
	name string
	out  beside
}

// Package variables, so that what is stored in them is on the heap.
var (
	one *connection
	two *other
)

func main() {
	whole := testing.AllocsPerRun(1000, func() {
		one = &connection{name: "till 3"}
		one.out.begin()
	})
	parts := testing.AllocsPerRun(1000, func() {
		two = &other{name: "till 3", out: beside{room: new([64]byte)}}
		two.out.begin()
	})

	fmt.Println("the array inside: ", whole, "allocs")
	fmt.Println("the array beside: ", parts, "allocs")
}

// ANCHOR_END: owner
