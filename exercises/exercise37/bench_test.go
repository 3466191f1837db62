package tree_test

import "testing"

// BenchmarkAll adds up the values of a balanced tree of 31 entries.
func BenchmarkAll(b *testing.B) {
	entries := newBalanced(31)
	for b.Loop() {
		sum := 0
		for _, value := range entries.All() {
			sum += value
		}
	}
}
