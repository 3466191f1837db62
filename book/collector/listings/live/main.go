// Command live prints how much memory the collector has to search for pointers: of orders that are kept, and of garbage.
package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
)

// ANCHOR: live

type order struct {
	cups, cents int
	next        *order
}

var chain *order

// link makes a chain of orders, each of which points to the one before.
func link(orders int) *order {
	var last *order
	for i := range orders {
		last = &order{cups: i, next: last}
	}
	return last
}

var list []struct{ cups, cents int }

// scanned returns how many bytes of the heap a collection searches for pointers.
func scanned() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func main() {
	const MiB = 1 << 20
	chain = link(500_000)
	fmt.Printf("a chain of orders that is kept: %5.1f MiB\n", float64(scanned())/MiB)
	chain = nil
	fmt.Printf("the same chain, dropped:        %5.1f MiB\n", float64(scanned())/MiB)
	list = make([]struct{ cups, cents int }, 500_000)
	fmt.Printf("orders without pointers, kept:  %5.1f MiB\n", float64(scanned())/MiB)
}

// ANCHOR_END: live
