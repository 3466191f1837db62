package main

import "testing"

func BenchmarkErrorf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_, err = ownerErrorf(card)
	}
}

func BenchmarkConstant(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_, err = ownerConstant(card)
	}
}

func BenchmarkOK(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_, known = ownerOK(card)
	}
}
