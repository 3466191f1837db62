package fields

import (
	"testing"
	"unsafe"
)

// The text and its drawing speak of these sizes.
func TestSizes(t *testing.T) {
	if l, s, g := unsafe.Sizeof(*loose), unsafe.Sizeof(*tidy), unsafe.Sizeof(*tight); l != 56 || s != 48 || g != 40 {
		t.Errorf("the three have %d, %d and %d bytes, want 56, 48 and 40", l, s, g)
	}
}
