// Command conversions counts which conversions between string and []byte copy.
package main

import (
	"fmt"
	"strings"
	"testing"
)

// ANCHOR: main
func main() {
	text := strings.Repeat("long ", 8)
	data := []byte(text)
	buf := make([]byte, 0, 100)

	show("range over []byte(text)", func() {
		for _, char := range []byte(text) {
			sum += int(char)
		}
	})
	show("append(buf, text...)", func() { buf = append(buf[:0], text...) })
	show("[]byte(text), only read", func() { readBytes([]byte(text)) })
	show("[]byte(text), changed", func() { changeBytes([]byte(text)) })
	show("string(data), only read", func() { readString(string(data)) })
	show("the same, 32 bytes", func() { readString(string(data[:32])) })
	show("string(data) == text", func() { equal = string(data) == text })
	show("names[string(data)]", func() { sum += names[string(data)] })
}

// ANCHOR_END: main

var (
	sum   int
	equal bool
	names = map[string]int{}
)

func show(what string, f func()) {
	fmt.Printf("%-24s %v allocs\n", what, testing.AllocsPerRun(1000, f))
}

//go:noinline
func readBytes(b []byte) { sum += int(b[0]) + int(b[len(b)-1]) }

//go:noinline
func changeBytes(b []byte) { b[0]++ }

//go:noinline
func readString(s string) { sum += int(s[0]) + int(s[len(s)-1]) }
