// Package label makes the text of a shelf label.
package label

// ANCHOR: print

// Print returns the text of a label by way of a Buffer.
func Print(text []byte) string {
	// ANCHOR: buf
	buf := New()
	// ANCHOR_END: buf
	buf.Write(text)
	return buf.String()
}

// ANCHOR_END: print

// ANCHOR: type

// A Buffer collects text. New makes one.
type Buffer struct {
	text []byte
	room *[64]byte // where the first bytes go
}

// ANCHOR: new

// New returns an empty Buffer.
func New() Buffer { return Buffer{room: new([64]byte)} }

// ANCHOR_END: new

// ANCHOR_END: type

// ANCHOR: write

// Write appends p to the text.
func (b *Buffer) Write(p []byte) {
	at := len(b.text)
	b.grow(len(p))
	copy(b.text[at:], p)
}

// String returns the text.
func (b *Buffer) String() string { return string(b.text) }

// ANCHOR_END: write

// ANCHOR: grow

// ANCHOR: receiver

// grow makes the text n bytes longer. The new bytes may have any value.
func (b *Buffer) grow(n int) {
	// ANCHOR_END: receiver
	size := len(b.text) + n
	// ANCHOR: cases
	switch {
	case size <= cap(b.text):
		b.text = b.text[:size]
	case b.text == nil && n <= len(b.room):
		b.text = b.room[:n]
	default:
		larger := make([]byte, size, 2*cap(b.text)+n)
		copy(larger, b.text)
		b.text = larger
	}
	// ANCHOR_END: cases
}

// ANCHOR_END: grow
