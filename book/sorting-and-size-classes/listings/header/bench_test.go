package header

import "testing"

func BenchmarkPage(b *testing.B) {
	for i := 0; i < b.N; i++ {
		NewPage()
	}
}

func BenchmarkSheet(b *testing.B) {
	for i := 0; i < b.N; i++ {
		NewSheet()
	}
}
