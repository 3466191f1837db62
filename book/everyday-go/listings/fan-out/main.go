// Command fan-out measures many rooms at once.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// ANCHOR: each
func measureEach(rooms, lux []int) {
	var wg sync.WaitGroup
	for i := range rooms {
		wg.Add(1)
		go func() {
			defer wg.Done()
			lux[i] = measure(rooms[i])
		}()
	}
	wg.Wait()
}

// ANCHOR_END: each

// ANCHOR: workers
const workers = 4

func measureByWorkers(rooms, lux []int) {
	var wg sync.WaitGroup
	var next atomic.Int64
	work := func() {
		defer wg.Done()
		for {
			i := int(next.Add(1)) - 1
			if i >= len(rooms) {
				return
			}
			lux[i] = measure(rooms[i])
		}
	}
	wg.Add(workers)
	for range workers {
		go work()
	}
	wg.Wait()
}

// ANCHOR_END: workers

// ANCHOR: main
func measure(room int) int { return 100 + room }

func main() {
	rooms, lux := make([]int, 64), make([]int, 64)
	fmt.Println("each:   ", testing.AllocsPerRun(1000, func() { measureEach(rooms, lux) }), "allocs")
	fmt.Println("workers:", testing.AllocsPerRun(1000, func() { measureByWorkers(rooms, lux) }), "allocs")
}

// ANCHOR_END: main
