package main

import "testing"

func BenchmarkUnmarshal(b *testing.B) {
	for b.Loop() {
		if _, err := parse(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshal(b *testing.B) {
	readings, err := parse()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := format(readings); err != nil {
			b.Fatal(err)
		}
	}
}
