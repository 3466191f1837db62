// Package lamps shows a picture on a strip of lamps.
package lamps

import "image"

// ANCHOR: show

// Show writes the first row of picture to wire: red, green and blue for each lamp.
func Show(wire []byte, picture *image.NRGBA) {
	for lamp := 0; 3*lamp < len(wire); lamp++ {
		// ANCHOR: pixel
		r, g, b, _ := picture.At(lamp, 0).RGBA()
		// ANCHOR_END: pixel
		wire[3*lamp] = byte(r >> 8)
		wire[3*lamp+1] = byte(g >> 8)
		wire[3*lamp+2] = byte(b >> 8)
	}
}

// ANCHOR_END: show
