// Command zero-copy converts a string to bytes that nobody changes.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func sum(data []byte) (n int) {
	for _, c := range data {
		n += int(c)
	}
	return n
}

//go:noinline
func wipe(data []byte) {
	for i := range data {
		data[i] = 0
	}
}

//go:noinline
func read(s string) int { return sum([]byte(s)) }

//go:noinline
func change(s string) { wipe([]byte(s)) }

func main() {
	s := "a sentence of more than thirty-two bytes"
	fmt.Println("read:  ", testing.AllocsPerRun(1000, func() { read(s) }), "allocs")
	fmt.Println("change:", testing.AllocsPerRun(1000, func() { change(s) }), "allocs")
}
