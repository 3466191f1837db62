// Command kept-alive measures with b.Loop.
package main

import (
	"flag"
	"fmt"
	"testing"
)

func double(n int) int { return 2 * n }

func put(n int) {}

func measure(b *testing.B) {
	total, p := 0, new(int)
	for b.Loop() {
		double(21)
		total = double(total)
		put(total + 1)
		*p = total
	}
}

func main() {
	testing.Init()
	flag.Set("test.benchtime", "100x")
	fmt.Println(testing.Benchmark(measure).AllocsPerOp(), "allocs")
}
