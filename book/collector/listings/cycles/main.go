// Command cycles counts the collections of a program that keeps some memory and drops much more.
package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
)

// ANCHOR: cycles

const (
	liveMiB  = 16  // what the program keeps
	churnMiB = 512 // what it allocates and drops
)

var kept, dropped []byte

// collections returns how often the garbage collector runs while churnMiB are
// allocated. A gogc of -1 stands for GOGC=off, a limitMiB of 0 for no limit.
func collections(gogc int, limitMiB int64) uint32 {
	limit := limitMiB << 20
	if limit == 0 {
		limit = math.MaxInt64
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gogc))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	runtime.GC() // begin with nothing but what is kept

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range churnMiB << 10 {
		dropped = make([]byte, 1<<10)
		for i := range dropped {
			dropped[i] = byte(i)
		}
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

func main() {
	kept = make([]byte, liveMiB<<20)
	for _, gogc := range []int{50, 100, 200, 400} {
		fmt.Printf("GOGC=%d: %d collections\n", gogc, collections(gogc, 0))
	}
	fmt.Printf("GOGC=off GOMEMLIMIT=64MiB: %d collections\n", collections(-1, 64))
	runtime.KeepAlive(kept)
}

// ANCHOR_END: cycles
