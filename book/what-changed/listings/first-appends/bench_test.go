package main

import "testing"

var length int

func BenchmarkWidest(b *testing.B) {
	for i := 0; i < b.N; i++ {
		length = widest("07:58,door 3")
	}
}
