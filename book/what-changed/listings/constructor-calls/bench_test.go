package main

import "testing"

var minute int

func BenchmarkUntil(b *testing.B) {
	for i := 0; i < b.N; i++ {
		minute = until("07:58")
	}
}
