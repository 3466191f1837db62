package main

import "testing"

var number int

func BenchmarkMade(b *testing.B) {
	rooms, list := visits(), make([]string, 60)
	for b.Loop() {
		copy(list, rooms)
		number = len(unique(list))
	}
}

func BenchmarkKept(b *testing.B) {
	rooms, list, d := visits(), make([]string, 60), newDeduper()
	for b.Loop() {
		copy(list, rooms)
		number = len(d.unique(list))
	}
}
