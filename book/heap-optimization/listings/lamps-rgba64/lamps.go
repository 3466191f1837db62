// Package lamps shows a picture on a strip of lamps.
package lamps

import "image"

// ANCHOR: show

// Show writes the first row of picture to wire: red, green and blue for each lamp.
func Show(wire []byte, picture image.RGBA64Image) {
	for lamp := 0; 3*lamp < len(wire); lamp++ {
		// ANCHOR: pixel
		c := picture.RGBA64At(lamp, 0)
		// ANCHOR_END: pixel
		wire[3*lamp] = byte(c.R >> 8)
		wire[3*lamp+1] = byte(c.G >> 8)
		wire[3*lamp+2] = byte(c.B >> 8)
	}
}

// ANCHOR_END: show
