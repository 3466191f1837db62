// Package label makes the text of a shelf label.
package label

// ANCHOR: print

// Print returns the text of a label by way of a slice.
func Print(text []byte) string {
	buf := make([]byte, 0, 64)
	buf = append(buf, text...)
	return string(buf)
}

// ANCHOR_END: print
