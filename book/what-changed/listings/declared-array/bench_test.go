package main

import "testing"

var (
	numbers   = []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	different int
)

func BenchmarkDistinct(b *testing.B) {
	for i := 0; i < b.N; i++ {
		different = distinct(numbers)
	}
}
