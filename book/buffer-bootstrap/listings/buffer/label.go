// Package label makes the text of a shelf label.
package label

import "bytes"

// ANCHOR: print

// Print returns the text of a label by way of a bytes.Buffer.
func Print(text []byte) string {
	var buf bytes.Buffer
	buf.Write(text)
	return buf.String()
}

// ANCHOR_END: print
