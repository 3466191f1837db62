package main

import "testing"

var (
	ring  = make([]func() int, 4)
	bells = make([]*bell, 4)
)

func BenchmarkFunctions(b *testing.B) {
	for i := 0; i < b.N; i++ {
		functions(ring)
	}
}

func BenchmarkPointers(b *testing.B) {
	for i := 0; i < b.N; i++ {
		pointers(bells)
	}
}
