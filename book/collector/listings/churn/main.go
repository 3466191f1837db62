// Command churn keeps 16 MiB of orders and churns through 512 MiB of notes.
package main

import "runtime"

// ANCHOR: churn

type order struct {
	cups, cents int
	next        *order
}

// link makes a chain of orders, each of which points to the one before.
func link(orders int) *order {
	var last *order
	for range orders {
		last = &order{next: last}
	}
	return last
}

var note []byte

func main() {
	kept := link(16 << 20 / 24) // an order takes 24 bytes
	for range 512 << 10 {
		note = make([]byte, 1<<10)
		for i := range note {
			note[i] = byte(i)
		}
	}
	runtime.KeepAlive(kept)
}

// ANCHOR_END: churn
