// Command constructor-loops makes a value in a constructor that loops.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: board

// A board has a lamp for each of sixteen doors.
type board struct{ lamps [16]bool }

func newBoard(on bool) *board {
	b := new(board)
	for i := 0; i < len(b.lamps); i++ {
		b.lamps[i] = on
	}
	return b
}

// lit says whether a lamp of a new board is on.
func lit(door int) bool {
	b := newBoard(true)
	return b.lamps[door&15]
}

func main() {
	fmt.Println(lit(3), testing.AllocsPerRun(1000, func() { lit(3) }), "allocs")
}

// ANCHOR_END: board
