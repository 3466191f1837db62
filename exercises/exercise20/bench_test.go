package tree_test

import "testing"

// BenchmarkAll adds up the values of a balanced tree of 31 entries.
func BenchmarkAll(b *testing.B) {
	entries := newBalanced(31)
	sum := 0
	for b.Loop() {
		for _, value := range entries.All() {
			sum += value
		}
	}
}
