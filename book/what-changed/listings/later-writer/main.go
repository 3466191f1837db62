// Command later-writer declares an interface first and stores into it later.
package main

import (
	"fmt"
	"io"
	"testing"
)

// ANCHOR: count

// A counter counts what is written to it.
type counter struct{ bytes, calls int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	c.calls++
	return len(p), nil
}

// count returns how many bytes n lines have.
func count(n int) int {
	var c counter
	var w io.Writer
	if n > 0 {
		w = &c
	}
	var line [40]byte
	for i := 0; i < n; i++ {
		w.Write(line[:])
	}
	return c.bytes
}

func main() {
	fmt.Println(count(3), testing.AllocsPerRun(1000, func() { count(3) }), "allocs")
}

// ANCHOR_END: count
