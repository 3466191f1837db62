package terminal

import "testing"

// TestDiffers: an estimate that changes is no difference, as long as the bytes are the same.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		was, is cost
		want    bool
	}{
		{cost{allocs: 2, bytes: 32}, cost{allocs: 2, bytes: 32}, false},
		{cost{allocs: 2, bytes: 32}, cost{allocs: 3, bytes: 32}, true},
		{cost{allocs: 2, bytes: 32}, cost{allocs: 2, bytes: 48}, true},
		{cost{allocs: 5.7, bytes: 72, shared: true}, cost{allocs: 4.6, bytes: 72, shared: true}, false},
		{cost{allocs: 5.7, bytes: 72, shared: true}, cost{allocs: 4.6, bytes: 72}, false},
		{cost{allocs: 5.7, bytes: 72, shared: true}, cost{allocs: 4.6, bytes: 56, shared: true}, true},
		{cost{}, cost{allocs: 1, bytes: 8, shared: true}, true},
	} {
		if got := c.is.differs(c.was); got != c.want {
			t.Errorf("%+v → %+v: %v, want %v", c.was, c.is, got, c.want)
		}
	}
}
