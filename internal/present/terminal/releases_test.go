package terminal

import (
	"testing"

	"onthestack/internal/verdict"
)

// TestDiffers: an estimate that changes is no difference, as long as the bytes are the same.
func TestDiffers(t *testing.T) {
	type allocation = verdict.Allocation
	estimated := allocation{AllocsPerOp: 5.7, BytesPerOp: 72, Shared: true}
	for _, c := range []struct {
		was, is allocation
		want    bool
	}{
		{allocation{AllocsPerOp: 2, BytesPerOp: 32}, allocation{AllocsPerOp: 2, BytesPerOp: 32}, false},
		{allocation{AllocsPerOp: 2, BytesPerOp: 32}, allocation{AllocsPerOp: 3, BytesPerOp: 32}, true},
		{allocation{AllocsPerOp: 2, BytesPerOp: 32}, allocation{AllocsPerOp: 2, BytesPerOp: 48}, true},
		{estimated, allocation{AllocsPerOp: 4.6, BytesPerOp: 72, Shared: true}, false},
		{estimated, allocation{AllocsPerOp: 4.6, BytesPerOp: 72}, false},
		{estimated, allocation{AllocsPerOp: 4.6, BytesPerOp: 56, Shared: true}, true},
		{allocation{}, allocation{AllocsPerOp: 1, BytesPerOp: 8, Shared: true}, true},
	} {
		if got := differs(c.was, c.is); got != c.want {
			t.Errorf("%+v → %+v: %v, want %v", c.was, c.is, got, c.want)
		}
	}
}
