// Command boxes stores values in an interface.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: boxes

var shelf interface{} // on the heap, like all that it refers to

//go:noinline
func keepInt(v int) { shelf = v }

//go:noinline
func keepString(v string) { shelf = v }

func main() {
	show("a small int", func() { keepInt(200) })
	show("a larger int", func() { keepInt(300) })
	show("an empty string", func() { keepString("") })
	show("a constant", func() { shelf = "on loan" })
}

func show(what string, store func()) {
	fmt.Println(what+":", testing.AllocsPerRun(1000, store), "allocs")
}

// ANCHOR_END: boxes
