// Command scratch-edge counts allocations where a request is as large as the scratch space.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: edge

// A Buffer hands out scratch space, until the next request.
type Buffer struct {
	scratch [16]byte
}

func (b *Buffer) Less(n int) []byte {
	if n < len(b.scratch) {
		return b.scratch[:n]
	}
	return make([]byte, n)
}

func (b *Buffer) LessOrEqual(n int) []byte {
	if n <= len(b.scratch) {
		return b.scratch[:n]
	}
	return make([]byte, n)
}

var used []byte

func main() {
	b := new(Buffer)
	for _, n := range []int{15, 16, 17} {
		less := testing.AllocsPerRun(1000, func() { used = b.Less(n) })
		lessOrEqual := testing.AllocsPerRun(1000, func() { used = b.LessOrEqual(n) })
		fmt.Println(n, "bytes:", less, "allocs with <,", lessOrEqual, "with <=")
	}
}

// ANCHOR_END: edge
