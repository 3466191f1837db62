// Command borrowed-bytes passes a string to a function that takes bytes.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: checksum

// checksum reads data and does not change it.
func checksum(data []byte) (sum uint16) {
	for _, c := range data {
		sum = sum<<1 | sum>>15
		sum ^= uint16(c)
	}
	return sum
}

// label is what the parcel's label says, with its checksum.
func label(address string) uint16 {
	return checksum([]byte(address))
}

func main() {
	address := "Kitchen door, Mill Lane 7, third bell from above"
	fmt.Println(label(address), testing.AllocsPerRun(1000, func() { label(address) }), "allocs")
}

// ANCHOR_END: checksum
