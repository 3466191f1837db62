// Package label makes the text of a shelf label.
package label

import "bytes"

// ANCHOR: print

// Print returns the text of a label by way of a bytes.Buffer whose first
// 64 bytes are its own.
func Print(text []byte) string {
	// ANCHOR: buf
	buf := bytes.NewBuffer(make([]byte, 0, 64))
	// ANCHOR_END: buf
	buf.Write(text)
	return buf.String()
}

// ANCHOR_END: print
