package main

import (
	"net/http"
	"testing"
)

// ANCHOR: benchmarks
func BenchmarkCreate(b *testing.B) { benchmark(b, createClient(), http.StatusCreated) }
func BenchmarkShow(b *testing.B)   { benchmark(b, showClient(), http.StatusOK) }
func BenchmarkSearch(b *testing.B) { benchmark(b, searchClient(), http.StatusOK) }

func benchmark(b *testing.B, c *client, status int) {
	h := newTestService()
	c.send(h) // fills the cache
	for b.Loop() {
		c.send(h)
	}
	if c.status != status {
		b.Fatalf("status %d", c.status)
	}
}

// ANCHOR_END: benchmarks
