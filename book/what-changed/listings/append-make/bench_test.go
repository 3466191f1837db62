package main

import "testing"

var padded []byte

func BenchmarkPad(b *testing.B) {
	block := make([]byte, 3, 64)
	for i := 0; i < b.N; i++ {
		padded = pad(block)
	}
}
