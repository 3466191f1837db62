// Command itself shows when a struct that points into itself moves to the heap.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: itself
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

func main() {
	variable := testing.AllocsPerRun(1000, func() {
		var b inside
		b.text = b.room[:0]
	})
	method := testing.AllocsPerRun(1000, func() {
		var b inside
		b.begin()
	})
	pointer := testing.AllocsPerRun(1000, func() {
		b := beside{room: new([64]byte)}
		b.begin()
	})

	fmt.Println("the array inside, by a variable: ", variable, "allocs")
	fmt.Println("the array inside, by a pointer:  ", method, "allocs")
	fmt.Println("the array beside, by a pointer:  ", pointer, "allocs")
}

// ANCHOR_END: itself
