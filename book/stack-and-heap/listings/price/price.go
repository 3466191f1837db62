// Package price takes memory from the frame of a function, and objects of three sizes from the heap.
package price

// ANCHOR: price

// What is stored in these variables is on the heap.
var (
	small  *[16]byte
	medium *[1 << 10]byte
	large  *[32 << 10]byte
)

// Frame uses 16 bytes of its own frame.
func Frame() byte {
	var room [16]byte
	touch(&room)
	return room[3]
}

// Small uses 16 bytes of the heap.
func Small() byte {
	small = new([16]byte)
	touch(small)
	return small[3]
}

// ANCHOR_END: price

// Medium takes 1 KiB from the heap.
func Medium() { medium = new([1 << 10]byte) }

// Large takes 32 KiB from the heap.
func Large() { large = new([32 << 10]byte) }

// ANCHOR: touch

//go:noinline
func touch(room *[16]byte) { room[3] = 7 }

// ANCHOR_END: touch
