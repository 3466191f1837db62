package sizes

import "testing"

func BenchmarkMark(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Mark()
	}
}

func BenchmarkStamp(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Stamp()
	}
}

func BenchmarkRing(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Ring()
	}
}

func BenchmarkHeader(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Header()
	}
}

func BenchmarkNote(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Note()
	}
}
