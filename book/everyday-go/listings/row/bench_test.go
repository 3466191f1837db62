package main

import "testing"

func BenchmarkFprintf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if err := writeFprintf(out, hall); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	t := &table{w: out}
	for i := 0; i < b.N; i++ {
		if err := t.write(hall); err != nil {
			b.Fatal(err)
		}
	}
}
