// Command available appends a number to a bytes.Buffer in two ways.
package main

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
)

// ANCHOR: available
func main() {
	grams := 1250

	detour := testing.AllocsPerRun(1000, func() {
		buf := bytes.NewBuffer(make([]byte, 0, 64))
		buf.WriteString(strconv.Itoa(grams))
	})
	direct := testing.AllocsPerRun(1000, func() {
		buf := bytes.NewBuffer(make([]byte, 0, 64))
		buf.Write(strconv.AppendInt(buf.AvailableBuffer(), int64(grams), 10))
	})

	fmt.Println("a string, then written: ", detour, "allocs")
	fmt.Println("into the space left:    ", direct, "allocs")
}

// ANCHOR_END: available
