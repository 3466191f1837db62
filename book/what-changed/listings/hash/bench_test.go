package main

import (
	"crypto/sha256"
	"testing"
)

func BenchmarkDigest(b *testing.B) {
	data := []byte("07:58 door 3 opened with card 88")
	buf := make([]byte, 0, sha256.Size)
	for i := 0; i < b.N; i++ {
		buf = digest(buf[:0], data)
	}
}
