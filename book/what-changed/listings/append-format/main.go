// Command append-format writes a time into a buffer of the caller's.
package main

import (
	"fmt"
	"testing"
	"time"
)

// ANCHOR: stamp
const layout = "2006-01-02 15:04:05"

func stamp(buf []byte, t time.Time) []byte {
	return t.AppendFormat(buf, layout)
}

func main() {
	t := time.Date(2015, 2, 19, 7, 58, 0, 0, time.UTC)
	buf := make([]byte, 0, 64)
	fmt.Println(string(stamp(buf, t)), testing.AllocsPerRun(1000, func() { stamp(buf, t) }), "allocs")
}

// ANCHOR_END: stamp
