package lamps_test

import (
	"image"
	"testing"

	lamps "onthestack/book/heap-optimization/listings/lamps-rgba64"
)

// sunset returns a picture of one row with 16 pixels.
func sunset() *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, 16, 1))
	for i := range picture.Pix {
		picture.Pix[i] = byte(255 - 3*i)
	}
	return picture
}

// ANCHOR: benchmark
func BenchmarkShow(b *testing.B) {
	picture := sunset()
	wire := make([]byte, 3*16)
	b.ResetTimer()

	for i := 0; i < b.N; i++ {
		lamps.Show(wire, picture)
	}
}

// ANCHOR_END: benchmark
