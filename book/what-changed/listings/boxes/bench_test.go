package main

import "testing"

// Two at a time fill a block of the tiny allocator.

func BenchmarkTwoSmallInts(b *testing.B) {
	for i := 0; i < b.N; i++ {
		keepInt(200)
		keepInt(201)
	}
}

func BenchmarkTwoLargerInts(b *testing.B) {
	for i := 0; i < b.N; i++ {
		keepInt(300)
		keepInt(301)
	}
}

func BenchmarkEmptyString(b *testing.B) {
	for i := 0; i < b.N; i++ {
		keepString("")
	}
}

func BenchmarkConstant(b *testing.B) {
	for i := 0; i < b.N; i++ {
		shelf = "on loan"
	}
}
