package spi_test

import (
	"testing"

	spi "onthestack/book/heap-optimization/listings/bus-preallocate"
)

func connect(dev spi.Device) *spi.Conn {
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

func BenchmarkTransferAll(b *testing.B) {
	conn := connect(&spi.Tank{Levels: [8]uint16{2: 950, 5: 1203}})
	frames := [][]byte{make([]byte, 3), make([]byte, 3), make([]byte, 3)}
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		for j, gauge := range [3]byte{5, 2, 5} {
			frame := frames[j]
			frame[0], frame[1], frame[2] = 1, gauge, 0
		}
		if conn.TransferAll(frames) != nil || frames[1][1] != 950>>8 || frames[1][2] != 950&0xff {
			b.Fatal("wrong level", frames[1])
		}
	}
}

var sink *spi.Conn

// Opening a port is done once and not in a loop; it is measured to see what containment costs.
func BenchmarkOpen(b *testing.B) {
	tank := new(spi.Tank)
	for i := 0; i < b.N; i++ {
		sink = connect(tank)
	}
}
