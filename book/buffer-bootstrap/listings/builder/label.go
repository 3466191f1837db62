// Package label makes the text of a shelf label.
package label

import "strings"

// ANCHOR: print

// Print returns the text of a label by way of a strings.Builder.
func Print(text []byte) string {
	var b strings.Builder
	b.Write(text)
	return b.String()
}

// ANCHOR_END: print
