package main

import (
	"strings"
	"testing"
)

func BenchmarkFields(b *testing.B) {
	in := strings.NewReader("")
	for i := 0; i < b.N; i++ {
		in.Reset(log)
		if _, err := tally(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCut(b *testing.B) {
	in := strings.NewReader("")
	c := &counter{opened: make(map[string]*int)}
	for i := 0; i < b.N; i++ {
		in.Reset(log)
		if err := c.tally(in); err != nil {
			b.Fatal(err)
		}
	}
}
