package main

import "testing"

var (
	name   = []byte("the door between the garage and the hall")
	number int
	open   bool
)

func BenchmarkKey(b *testing.B) {
	for i := 0; i < b.N; i++ {
		number = lookUp(name)
	}
}

func BenchmarkCompare(b *testing.B) {
	for i := 0; i < b.N; i++ {
		open = isOpen(name)
	}
}

func BenchmarkJoin(b *testing.B) {
	for i := 0; i < b.N; i++ {
		number = prompt(name)
	}
}
