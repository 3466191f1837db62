package archive_test

import (
	"testing"

	archive "onthestack/book/heap-optimization/listings/cold-string"
)

var name string

// BenchmarkName names a file of 64 KiB.
func BenchmarkName(b *testing.B) {
	content := make([]byte, 64<<10)
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		content[0] = byte(i)
		name = archive.Name(content)
	}
}
