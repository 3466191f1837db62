package counts_test

import (
	"testing"

	"onthestack/exercises/counts"
)

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		counts.Looped()
	}
}

func BenchmarkLoopAllocates(b *testing.B) {
	for b.Loop() {
		sink = make([]byte, 48) // 1 alloc, 48 B
	}
}

var sink []byte

func BenchmarkSetup(b *testing.B) {
	data := make([][]byte, 0, 100)
	for range 100 {
		data = append(data, make([]byte, 1000))
	}
	b.ResetTimer()
	for i := range b.N {
		counts.Copied(data[i%len(data)])
	}
}

func BenchmarkSetupCounted(b *testing.B) {
	data := make([]byte, 1000)
	sink = data
	for range b.N {
		counts.CopiedToo(data)
	}
}

func BenchmarkTenth(b *testing.B) {
	for i := range b.N {
		counts.Tenth(i)
	}
}

func BenchmarkThird(b *testing.B) {
	for i := range b.N {
		counts.Third(i)
	}
}

func BenchmarkFirst(b *testing.B) {
	for i := range b.N {
		counts.First(i)
	}
}

func BenchmarkByTurns(b *testing.B) {
	for i := range b.N {
		counts.ByTurns(i)
	}
}

func BenchmarkStopped(b *testing.B) {
	for range b.N {
		b.StopTimer()
		sink = make([]byte, 500)
		b.StartTimer()
		counts.Timed()
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			counts.Parallel()
		}
	})
}

func BenchmarkCleanup(b *testing.B) {
	b.Cleanup(func() { sink = nil })
	for range b.N {
		counts.Cleaned()
	}
}
