// Package sizes allocates objects that fit their size class well or badly.
package sizes

// ANCHOR: sizes

// Package variables, so that what they point to is on the heap.
var (
	mark   *[4]byte
	stamp  *[8]byte
	ring   *[9]byte
	header *[]string
	note   *[33]byte
)

// Mark allocates 4 bytes.
func Mark() { mark = new([4]byte) }

// Stamp allocates 8 bytes.
func Stamp() { stamp = new([8]byte) }

// Ring allocates 9 bytes.
func Ring() { ring = new([9]byte) }

// Header allocates the 24 bytes of a slice header.
func Header() { header = new([]string) }

// Note allocates 33 bytes.
func Note() { note = new([33]byte) }

// ANCHOR_END: sizes
