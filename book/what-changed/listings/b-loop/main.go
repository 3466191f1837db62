// Command b-loop measures the same function in two benchmark loops.
package main

import (
	"flag"
	"fmt"
	"testing"
)

// ANCHOR: loops

// A point is a place on a map.
type point struct{ x, y int }

func newPoint(x, y int) *point { return &point{x, y} }

// distance is how far a point is from the origin, along the streets.
func (p *point) distance() int { return max(p.x, -p.x) + max(p.y, -p.y) }

func overN(b *testing.B) {
	for i := 0; i < b.N; i++ {
		newPoint(3, -4).distance()
	}
}

func overLoop(b *testing.B) {
	for b.Loop() {
		newPoint(3, -4).distance()
	}
}

func main() {
	testing.Init()
	flag.Set("test.benchtime", "100x")
	fmt.Println("b.N:   ", testing.Benchmark(overN).AllocsPerOp(), "allocs")
	fmt.Println("b.Loop:", testing.Benchmark(overLoop).AllocsPerOp(), "allocs")
}

// ANCHOR_END: loops
