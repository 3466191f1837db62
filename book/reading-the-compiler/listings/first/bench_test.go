package main

import "testing"

func BenchmarkNote(b *testing.B) {
	for i := 0; i < b.N; i++ {
		note(i)
	}
}
