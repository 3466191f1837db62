package lamps_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	lamps "onthestack/book/heap-optimization/listings/lamps-nrgbaat"
)

func TestShow(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(0, 0, 5, 1))
	for range 200 {
		var want []byte
		for i := range picture.Pix {
			picture.Pix[i] = byte(rand.Uint32())
			if i%4 == 3 {
				picture.Pix[i] = []byte{0, 255, byte(rand.Uint32())}[rand.IntN(3)]
			}
		}
		for lamp := range 5 {
			pixel := picture.Pix[4*lamp:]
			for _, c := range pixel[:3] {
				// Alpha-premultiplied, in the 16 bits of color.Color, then the upper eight.
				want = append(want, byte(uint32(c)*0x101*(uint32(pixel[3])*0x101)/0xffff>>8))
			}
		}
		wire := make([]byte, 15)
		lamps.Show(wire, picture)
		if !bytes.Equal(wire, want) {
			t.Fatalf("picture %v: got %v, want %v", picture.Pix, wire, want)
		}
	}
}
