package fields

import "testing"

func BenchmarkLoose(b *testing.B) {
	for i := 0; i < b.N; i++ {
		NewLoose()
	}
}

func BenchmarkTidy(b *testing.B) {
	for i := 0; i < b.N; i++ {
		NewTidy()
	}
}

func BenchmarkTight(b *testing.B) {
	for i := 0; i < b.N; i++ {
		NewTight()
	}
}
