// Command append-make lengthens a slice by zeros.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: pad

// pad lengthens a block to a multiple of 64 bytes.
func pad(block []byte) []byte {
	missing := (64 - len(block)%64) % 64
	return append(block, make([]byte, missing)...)
}

func main() {
	block := make([]byte, 3, 64)
	fmt.Println(len(pad(block)), testing.AllocsPerRun(1000, func() { pad(block) }), "allocs")
}

// ANCHOR_END: pad
