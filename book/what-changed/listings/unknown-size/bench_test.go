package main

import "testing"

var fits bool

func BenchmarkValid(b *testing.B) {
	card := "4539578763621486"
	for i := 0; i < b.N; i++ {
		fits = valid(card)
	}
}
