package boxing

import "testing"

// Variables, so that inlining makes no constants of them.
var (
	small, large = 200, 1000
	text         = "heron"
	list         = []string{"wren", "heron"}
	none         []string
)

func BenchmarkPointer(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Pointer(&large)
	}
}

func BenchmarkConstant(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Constant()
	}
}

func BenchmarkSmallNumber(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Number(small)
	}
}

func BenchmarkNumber(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Number(large)
	}
}

func BenchmarkText(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Text(text)
	}
}

func BenchmarkList(b *testing.B) {
	for i := 0; i < b.N; i++ {
		List(list)
	}
}

func BenchmarkNilList(b *testing.B) {
	for i := 0; i < b.N; i++ {
		List(none)
	}
}
