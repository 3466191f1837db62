package main

import "testing"

func BenchmarkAsType(b *testing.B) {
	for i := 0; i < b.N; i++ {
		door = lockedDoor(err)
	}
}
