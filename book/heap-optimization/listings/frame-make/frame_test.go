package frame_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	frame "onthestack/book/heap-optimization/listings/frame-make"
)

func framed(message []byte) []byte {
	f := append([]byte{0x7e, byte(len(message))}, message...)
	sum := 0
	for _, c := range f {
		sum = (31*sum + int(c)) % 65536
	}
	return append(f, byte(sum/256), byte(sum%256))
}

func TestSend(t *testing.T) {
	var line bytes.Buffer
	link := frame.NewLink(&line)
	check := func(n int) {
		message := make([]byte, n)
		for i := range message {
			message[i] = byte(rand.Uint32())
		}
		line.Reset()
		if err := link.Send(message); err != nil {
			t.Fatal(err)
		}
		if want := framed(message); !bytes.Equal(line.Bytes(), want) {
			t.Fatalf("%d bytes: got %x, want %x", n, line.Bytes(), want)
		}
	}
	for n := range 256 {
		check(n)
		check(rand.IntN(256))
	}
}
