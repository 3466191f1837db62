package archive_test

import (
	"testing"

	archive "onthestack/book/heap-optimization/listings/cold-append"
)

// BenchmarkName names a file of 64 KiB.
func BenchmarkName(b *testing.B) {
	content := make([]byte, 64<<10)
	name := make([]byte, 0, 64)
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		content[0] = byte(i)
		name = archive.AppendName(name[:0], content)
	}
}
