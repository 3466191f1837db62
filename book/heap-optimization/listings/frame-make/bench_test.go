package frame_test

import (
	"testing"

	frame "onthestack/book/heap-optimization/listings/frame-make"
)

// A line counts what is written to it.
type line struct{ frames, bytes int }

func (l *line) Write(p []byte) (int, error) {
	l.frames++
	l.bytes += len(p)
	return len(p), nil
}

func BenchmarkSend(b *testing.B) {
	message := []byte("07:58 roof 21.5 C, 4.0 m/s N") // 28 bytes: a frame of 32
	link := frame.NewLink(&line{})
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		if err := link.Send(message); err != nil {
			b.Fatal(err)
		}
	}
}
