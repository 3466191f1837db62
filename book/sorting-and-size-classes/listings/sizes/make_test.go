package sizes

import (
	"testing"
	"unsafe"
)

// The text speaks of these sizes.
func TestSizes(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want uintptr
	}{
		{"Mark", unsafe.Sizeof(*mark), 4},
		{"Stamp", unsafe.Sizeof(*stamp), 8},
		{"Ring", unsafe.Sizeof(*ring), 9},
		{"Header", unsafe.Sizeof(*header), 24},
		{"Note", unsafe.Sizeof(*note), 33},
	} {
		if test.got != test.want {
			t.Errorf("%s allocates %d bytes, want %d", test.name, test.got, test.want)
		}
	}
}
