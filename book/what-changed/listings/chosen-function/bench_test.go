package main

import "testing"

var cents int

func BenchmarkPrice(b *testing.B) {
	for i := 0; i < b.N; i++ {
		cents = price(i%200, 250)
	}
}
