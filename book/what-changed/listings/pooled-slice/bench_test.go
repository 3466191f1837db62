package main

import "testing"

func BenchmarkSlice(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bySlice()
	}
}

func BenchmarkPointer(b *testing.B) {
	for i := 0; i < b.N; i++ {
		byPointer()
	}
}
