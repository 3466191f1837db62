package main

import "testing"

var length int

const line = "07:58,door 3,card 88,open"

func BenchmarkSplit(b *testing.B) {
	for i := 0; i < b.N; i++ {
		length = bySplit(line)
	}
}

func BenchmarkSplitSeq(b *testing.B) {
	for i := 0; i < b.N; i++ {
		length = bySplitSeq(line)
	}
}
