package spi_test

import (
	"testing"

	spi "onthestack/book/heap-optimization/listings/bus-concrete"
)

func connect(dev *spi.Tank) *spi.Conn {
	conn, err := spi.Open("spi0", dev).Connect(1000000, 8)
	if err != nil {
		panic(err)
	}
	return conn
}

// ANCHOR: benchmark
func BenchmarkTransfer(b *testing.B) {
	conn := connect(&spi.Tank{Levels: [8]uint16{5: 1203}})
	frame := make([]byte, 3)
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		frame[0], frame[1], frame[2] = 1, 5, 0
		if conn.Transfer(frame) != nil || frame[1] != 1203>>8 || frame[2] != 1203&0xff {
			b.Fatal("wrong level", frame)
		}
	}
}

// ANCHOR_END: benchmark
