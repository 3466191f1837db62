package main

import "testing"

var sum int

func BenchmarkNested(b *testing.B) {
	cards := grown(1, 15)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum = sumNested(cards)
	}
}

func BenchmarkPushed(b *testing.B) {
	cards := grown(1, 15)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum = sumPushed(cards)
	}
}
