package main

import "testing"

func BenchmarkInTheLoop(b *testing.B) {
	doors := make([]door, 8)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		countAll(doors)
	}
}

func BenchmarkInACall(b *testing.B) {
	doors := make([]door, 8)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		countEach(doors)
	}
}
