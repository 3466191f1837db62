package main

import "testing"

var letters int

func BenchmarkDistinct(b *testing.B) {
	for i := 0; i < b.N; i++ {
		letters = distinct("mississippi")
	}
}
