package main

import "testing"

func BenchmarkGeneric(b *testing.B) {
	for i := 0; i < b.N; i++ {
		hall, _ = parse[lux](text)
	}
}

func BenchmarkInto(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = parseInto(&hall, text)
	}
}

func BenchmarkFunction(b *testing.B) {
	for i := 0; i < b.N; i++ {
		hall, _ = parseWith(text, newLux)
	}
}
