package main

import "testing"

func BenchmarkOnce(b *testing.B) {
	for i := 0; i < b.N; i++ {
		once(visit{2, i})
	}
}

func BenchmarkThreeTimes(b *testing.B) {
	for i := 0; i < b.N; i++ {
		threeTimes(visit{2, i})
	}
}
