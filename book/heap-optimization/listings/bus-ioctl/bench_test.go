package spi

import "testing"

// A file stands in for a device file. Like the one in the article's benchmark, it moves no data.
type file struct{ calls int }

func (f *file) Ioctl(op uint, arg uintptr) error {
	f.calls++
	return nil
}

// ANCHOR: benchmark
func BenchmarkTransfer(b *testing.B) {
	conn := Open(new(file)).Connect(1000000, 8)
	data := make([]byte, 16)
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		if err := conn.Transfer(data); err != nil {
			b.Fatal(err)
		}
	}
}

// ANCHOR_END: benchmark

var sink *Conn

func BenchmarkOpen(b *testing.B) {
	f := new(file)
	for i := 0; i < b.N; i++ {
		sink = Open(f).Connect(1000000, 8)
	}
}
