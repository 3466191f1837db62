package main

import (
	"strconv"
	"testing"
)

func BenchmarkSmall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		text = strconv.Itoa(99)
	}
}

func BenchmarkLarge(b *testing.B) {
	for i := 0; i < b.N; i++ {
		text = strconv.Itoa(1000000000000042)
	}
}
