package main

import "testing"

var sum int

func BenchmarkInlined(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum = inlined(10)
	}
}

func BenchmarkCalled(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum = called(10)
	}
}
