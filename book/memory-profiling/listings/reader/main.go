// Command reader counts what an interface costs, with and without the compiler seeing through it.
package main

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// ANCHOR: reader
func main() {
	data := []byte("31415")
	window := make([]byte, 5)

	method := testing.AllocsPerRun(1000, func() {
		input := bytes.NewBuffer(data)
		input.Read(window)
	})
	seen := testing.AllocsPerRun(1000, func() {
		var input io.Reader = bytes.NewBuffer(data)
		input.Read(window)
	})
	unseen := testing.AllocsPerRun(1000, func() {
		var input io.Reader = bytes.NewBuffer(data)
		io.ReadFull(input, window)
	})

	fmt.Println("a method of *bytes.Buffer:       ", method, "allocs")
	fmt.Println("an io.Reader the compiler sees:  ", seen, "allocs")
	fmt.Println("an io.Reader handed to ReadFull: ", unseen, "allocs")
}

// ANCHOR_END: reader
