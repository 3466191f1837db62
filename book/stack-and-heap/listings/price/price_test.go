package price_test

import (
	"testing"

	"onthestack/book/stack-and-heap/listings/price"
)

func TestRoom(t *testing.T) {
	if frame, small := price.Frame(), price.Small(); frame != 7 || small != 7 {
		t.Errorf("Frame() = %d, Small() = %d, want 7", frame, small)
	}
}
