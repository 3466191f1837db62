package main

import "testing"

var sum int

func BenchmarkLiteral(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum = total(files)
	}
}

func BenchmarkMethodValue(b *testing.B) {
	a := &adder{}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum = a.total(files)
	}
}

func BenchmarkKept(b *testing.B) {
	k := newKeeper()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum = k.total(files)
	}
}

func BenchmarkConcrete(b *testing.B) {
	d := files.(disk)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum = totalOf(d)
	}
}
