package main

import "testing"

func BenchmarkJoin(b *testing.B) {
	parts := []string{"07:58 ", "door 3 ", "opened with card 88 ", "by somebody"}
	for i := 0; i < b.N; i++ {
		sentence = join(parts)
	}
}
