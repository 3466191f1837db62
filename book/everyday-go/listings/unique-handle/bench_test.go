package main

import "testing"

func BenchmarkMake(b *testing.B) {
	for i := 0; i < b.N; i++ {
		same = handle(room) == kept
	}
}
