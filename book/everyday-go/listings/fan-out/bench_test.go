package main

import "testing"

func BenchmarkEach(b *testing.B) {
	rooms, lux := make([]int, 64), make([]int, 64)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		measureEach(rooms, lux)
	}
}

func BenchmarkWorkers(b *testing.B) {
	rooms, lux := make([]int, 64), make([]int, 64)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		measureByWorkers(rooms, lux)
	}
}
