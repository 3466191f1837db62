package header

import (
	"testing"
	"unsafe"
)

func TestSizes(t *testing.T) {
	if p, s := unsafe.Sizeof(*page), unsafe.Sizeof(*sheet); p != 1024 || s != 1024 {
		t.Errorf("a Page has %d bytes, a Sheet %d; the text says 1024 of both", p, s)
	}
}
