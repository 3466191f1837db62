package main

import "testing"

func BenchmarkAppend(b *testing.B) {
	doors := building()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		names = openDoors(doors)
	}
}

func BenchmarkBounded(b *testing.B) {
	doors := building()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		names = openDoorsBounded(doors)
	}
}

func BenchmarkCounted(b *testing.B) {
	doors := building()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		names = openDoorsCounted(doors)
	}
}
