// Command sent sends an address on a channel.
package main

import (
	"fmt"
	"testing"
)

//go:noinline
func queue(line chan *int, number int) {
	line <- &number
}

func main() {
	line := make(chan *int, 1)
	allocs := testing.AllocsPerRun(1000, func() { queue(line, 42); <-line })
	queue(line, 42)
	fmt.Println(*<-line, allocs, "allocs")
}
