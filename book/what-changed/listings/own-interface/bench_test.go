package main

import "testing"

var grams int

func BenchmarkWeigh(b *testing.B) {
	for i := 0; i < b.N; i++ {
		grams = weigh(scales[i%2], 2, 3)
	}
}
