// Command blocks shows how much of the heap an object takes.
package main

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"unsafe"
)

// ANCHOR: blocks

// Package variables, so that what is stored in them is on the heap.
var (
	buffer *bytes.Buffer
	window []byte
)

func main() {
	fmt.Printf("a bytes.Buffer has %d bytes and takes %.1f\n",
		unsafe.Sizeof(bytes.Buffer{}), taken(func() { buffer = new(bytes.Buffer) }))
	for _, size := range []int{5, 16, 40} {
		fmt.Printf("a window of %d bytes takes %.1f\n",
			size, taken(func() { window = make([]byte, size) }))
	}
}

// taken returns the bytes of heap that one call of allocate takes. What else
// the program allocates meanwhile can only add to it: the least of ten tries counts.
func taken(allocate func()) float64 {
	const calls = 3000
	least := math.Inf(1)
	for range 10 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			allocate()
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.TotalAlloc-before.TotalAlloc)/calls)
	}
	return least
}

// ANCHOR_END: blocks
