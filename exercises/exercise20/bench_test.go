package tree_test

import "testing"

// BenchmarkAll adds up the entries of a balanced tree of 31.
func BenchmarkAll(b *testing.B) {
	entries := newBalanced(31)
	var sum entry
	for b.Loop() {
		for key, value := range entries.All() {
			sum.key += key
			sum.value += value
		}
	}
}
