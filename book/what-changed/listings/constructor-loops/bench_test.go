package main

import "testing"

var on bool

func BenchmarkLit(b *testing.B) {
	for i := 0; i < b.N; i++ {
		on = lit(i)
	}
}
