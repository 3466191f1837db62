package main

import "testing"

func BenchmarkFields(b *testing.B) {
	for i := 0; i < b.N; i++ {
		found = fields("07:58,door 3")
	}
}
