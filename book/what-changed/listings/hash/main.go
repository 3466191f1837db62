// Command hash computes a checksum through the hash package's interface.
package main

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// ANCHOR: digest

// digest writes the checksum of data behind buf.
func digest(buf, data []byte) []byte {
	h := sha256.New()
	h.Write(data)
	return h.Sum(buf)
}

func main() {
	data := []byte("07:58 door 3 opened with card 88")
	buf := make([]byte, 0, sha256.Size)
	fmt.Printf("%x…\n", digest(buf, data)[:8])
	fmt.Println(testing.AllocsPerRun(1000, func() { digest(buf, data) }), "allocs")
}

// ANCHOR_END: digest
