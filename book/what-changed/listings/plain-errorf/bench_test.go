package main

import (
	"errors"
	"fmt"
	"testing"
)

func BenchmarkNew(b *testing.B) {
	for i := 0; i < b.N; i++ {
		problem = errors.New("no such door")
	}
}

func BenchmarkErrorf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		problem = fmt.Errorf("no such door")
	}
}
