package main

import "testing"

func BenchmarkSprintf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		text = digestSprintf(data)
	}
}

func BenchmarkEncodeToString(b *testing.B) {
	for i := 0; i < b.N; i++ {
		text = digestEncode(data)
	}
}

func BenchmarkAppendEncode(b *testing.B) {
	line := make([]byte, 0, 64)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		line = appendDigest(line[:0], data)
	}
}
