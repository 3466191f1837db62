// Package label makes the text of a shelf label.
package label

// ANCHOR: print

// Print returns the text of a label by way of a Buffer.
func Print(text []byte) string {
	buf := New()
	buf.Write(text)
	return buf.String()
}

// ANCHOR_END: print

// ANCHOR: type

// A Buffer collects text.
type Buffer struct{ text []byte }

// New returns an empty Buffer.
func New() Buffer { return Buffer{text: make([]byte, 0, 64)} }

// ANCHOR: write

// Write appends p to the text.
func (b *Buffer) Write(p []byte) {
	b.text = append(b.text, p...)
}

// ANCHOR_END: write

// String returns the text.
func (b *Buffer) String() string { return string(b.text) }

// ANCHOR_END: type
