package main

import (
	"testing"
	"time"
)

func BenchmarkStamp(b *testing.B) {
	t := time.Date(2015, 2, 19, 7, 58, 0, 0, time.UTC)
	buf := make([]byte, 0, 64)
	for i := 0; i < b.N; i++ {
		buf = stamp(buf[:0], t)
	}
}
