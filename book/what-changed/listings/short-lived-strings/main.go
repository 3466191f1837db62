// Command short-lived-strings makes strings of bytes for as long as one expression.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: strings
var doors = map[string]int{"the door between the garage and the hall": 3}

//go:noinline
func lookUp(name []byte) int { return doors[string(name)] }

//go:noinline
func isOpen(state []byte) bool {
	return string(state) == "open since the day before yesterday, at 18:04"
}

//go:noinline
func prompt(name []byte) int { return len("<" + string(name) + ">") }

func main() {
	name := []byte("the door between the garage and the hall")
	show("as a key", func() { lookUp(name) })
	show("compared", func() { isOpen(name) })
	show("joined", func() { prompt(name) })
}

func show(what string, use func()) {
	fmt.Println(what+":", testing.AllocsPerRun(1000, use), "allocs")
}

// ANCHOR_END: strings
