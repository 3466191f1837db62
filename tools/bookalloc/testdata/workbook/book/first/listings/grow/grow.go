// Package grow grows a slice.
package grow

// ANCHOR: grow

// Grow returns n zeros, and what it left behind.
func Grow(n int) []byte {
	var zeros []byte
	// ANCHOR: append
	for i := 0; i < n; i++ {
		zeros = append(zeros, 0)
	}
	// ANCHOR_END: append

	return zeros
}

// ANCHOR_END: grow
