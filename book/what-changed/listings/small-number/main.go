// Command small-number turns numbers into strings.
package main

import (
	"fmt"
	"strconv"
	"testing"
)

// ANCHOR: itoa
var text string

func main() {
	for _, n := range []int{7, 99, 100} {
		n := n
		allocs := testing.AllocsPerRun(1000, func() { text = strconv.Itoa(n) })
		fmt.Println(text+":", allocs, "allocs")
	}
}

// ANCHOR_END: itoa
