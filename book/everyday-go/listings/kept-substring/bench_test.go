package main

import "testing"

var id string

func BenchmarkPart(b *testing.B) {
	text := line(1)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		id = idPart(text)
	}
}

func BenchmarkClone(b *testing.B) {
	text := line(1)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		id = idClone(text)
	}
}
