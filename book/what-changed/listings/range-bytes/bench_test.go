package main

import "testing"

var counted int

func BenchmarkShort(b *testing.B) {
	for i := 0; i < b.N; i++ {
		counted = marks("UPDATE doors SET open = ?") // 25 bytes
	}
}

func BenchmarkLong(b *testing.B) {
	for i := 0; i < b.N; i++ {
		counted = marks("UPDATE doors SET open = ? WHERE building = ? AND level = ?")
	}
}
