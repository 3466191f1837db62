// Command too-large makes values that no frame takes.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func sums(n int) (sum int) {
	declared := [128<<10 + 1]byte{1: byte(n)} // a variable: at most 128 KiB
	made := make([]byte, 64<<10+1)            // what an expression makes: at most 64 KiB
	address := &[64<<10 + 1]byte{1: byte(n)}  // the same
	made[n] = 1
	return int(declared[n]) + int(made[n]) + int(address[n])
}

func main() {
	fmt.Println(sums(1), testing.AllocsPerRun(100, func() { sums(1) }), "allocs")
}
