package main

import "testing"

func BenchmarkReadAll(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if _, err := all(); err != nil {
			b.Fatal(err)
		}
	}
}
