package main

import "testing"

func BenchmarkSorted(b *testing.B) {
	for i := 0; i < b.N; i++ {
		names = rooms()
	}
}

func BenchmarkAppendSeq(b *testing.B) {
	for i := 0; i < b.N; i++ {
		names = roomsSized()
	}
}
