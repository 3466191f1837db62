// Command pooled-slice keeps buffers in a sync.Pool.
package main

import (
	"fmt"
	"sync"
	"testing"
)

// ANCHOR: pool
var (
	slices   = sync.Pool{New: func() interface{} { return make([]byte, 64) }}
	pointers = sync.Pool{New: func() interface{} { b := make([]byte, 64); return &b }}
)

func bySlice() {
	b := slices.Get().([]byte)
	b[0]++
	slices.Put(b)
}

func byPointer() {
	b := pointers.Get().(*[]byte)
	(*b)[0]++
	pointers.Put(b)
}

func main() {
	fmt.Println("slices:  ", testing.AllocsPerRun(1000, bySlice), "allocs")
	fmt.Println("pointers:", testing.AllocsPerRun(1000, byPointer), "allocs")
}

// ANCHOR_END: pool
