// Command limits shows how large a bootstrap may be.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: limits
const KiB = 1 << 10

func main() {
	count("new([64 * KiB]byte)", func() { p := new([64 * KiB]byte); p[0] = 1 })
	count("new([64*KiB + 1]byte)", func() { p := new([64*KiB + 1]byte); p[0] = 1 })
	count("make([]byte, 0, 64*KiB)", func() { s := make([]byte, 0, 64*KiB); _ = append(s, 1) })
	count("make([]byte, 0, 64*KiB+1)", func() { s := make([]byte, 0, 64*KiB+1); _ = append(s, 1) })
	count("var a [128 * KiB]byte", func() { var a [128 * KiB]byte; _ = append(a[:0], 1) })
	count("var a [128*KiB + 1]byte", func() { var a [128*KiB + 1]byte; _ = append(a[:0], 1) })
}

func count(name string, bootstrap func()) {
	fmt.Printf("%-26s %v allocs\n", name, testing.AllocsPerRun(100, bootstrap))
}

// ANCHOR_END: limits
