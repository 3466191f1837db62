package main

import "testing"

var visited int

func BenchmarkIncrement(b *testing.B) {
	visits := make(map[string]int)
	for i := 0; i < b.N; i++ {
		count(visits, room)
	}
}

func BenchmarkPointer(b *testing.B) {
	visits := make(map[string]*int)
	countTo(visits, room)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		countTo(visits, room)
	}
}

func BenchmarkLookUp(b *testing.B) {
	visits := make(map[string]int)
	for i := 0; i < b.N; i++ {
		visited = lookUp(visits, room)
	}
}
