package main

import "testing"

func BenchmarkAs(b *testing.B) {
	for i := 0; i < b.N; i++ {
		door = lockedDoor(err)
	}
}
