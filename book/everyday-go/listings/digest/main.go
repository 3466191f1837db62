// Command digest writes a checksum in hexadecimal.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
)

// ANCHOR: sprintf
func digestSprintf(data []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// ANCHOR_END: sprintf

// ANCHOR: encode
func digestEncode(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ANCHOR_END: encode

// ANCHOR: append
func appendDigest(buf, data []byte) []byte {
	sum := sha256.Sum256(data)
	return hex.AppendEncode(buf, sum[:])
}

// ANCHOR_END: append

// ANCHOR: main
var (
	data = []byte("07:58 garage opened by card 88")
	text string
	line []byte
)

func main() {
	fmt.Println("Sprintf:       ", testing.AllocsPerRun(1000, func() { text = digestSprintf(data) }), "allocs")
	fmt.Println("EncodeToString:", testing.AllocsPerRun(1000, func() { text = digestEncode(data) }), "allocs")
	fmt.Println("AppendEncode:  ", testing.AllocsPerRun(1000, func() { line = appendDigest(line[:0], data) }), "allocs")
}

// ANCHOR_END: main
