package main

import "testing"

func BenchmarkMap(b *testing.B) {
	for b.Loop() {
		if _, err := luxFromMap(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStruct(b *testing.B) {
	for b.Loop() {
		if _, err := luxFromStruct(text); err != nil {
			b.Fatal(err)
		}
	}
}
