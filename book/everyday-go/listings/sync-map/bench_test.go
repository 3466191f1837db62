package main

import "testing"

var lux int

func BenchmarkLoad(b *testing.B) {
	store(room, 1200)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		lux, _ = load(room)
	}
}

func BenchmarkStore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		store(room, 1000+i)
	}
}
