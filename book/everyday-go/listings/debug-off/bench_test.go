package main

import "testing"

func BenchmarkDebug(b *testing.B) {
	for i := 0; i < b.N; i++ {
		openedDebug(door, card, took)
	}
}

func BenchmarkDebugf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		openedDebugf(door, card, took)
	}
}

func BenchmarkLogAttrs(b *testing.B) {
	for i := 0; i < b.N; i++ {
		openedAttrs(door, card, took)
	}
}

func BenchmarkEnabled(b *testing.B) {
	for i := 0; i < b.N; i++ {
		openedGuarded(door, card, took)
	}
}
