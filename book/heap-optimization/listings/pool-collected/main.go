// Command collected shows how long an unused object stays in a sync.Pool.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

// ANCHOR: collected
func main() {
	runtime.GOMAXPROCS(1) // each processor has its own part of a pool

	for collections := 0; collections <= 2; collections++ {
		made := 0
		pool := sync.Pool{New: func() interface{} {
			made++
			return new([128]byte)
		}}

		pool.Put(pool.Get())
		for i := 0; i < collections; i++ {
			runtime.GC()
		}
		pool.Get()
		fmt.Println("collections:", collections, " made:", made)
	}
}

// ANCHOR_END: collected
