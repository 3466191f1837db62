// Command first prints a report that the chapter begins with.
package main

import (
	"fmt"
	"testing"
)

type visit struct{ door, minute int }

var latest *visit

// ANCHOR: note

//go:noinline
func note(door int) {
	v := &visit{door: door}
	log := v
	latest = log
}

// ANCHOR_END: note

func main() {
	note(3)
	fmt.Println(*latest, testing.AllocsPerRun(1000, func() { note(3) }), "allocs")
}
