package main

import "testing"

var total int

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		total = count(3)
	}
}
