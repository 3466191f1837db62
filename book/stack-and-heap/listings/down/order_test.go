package order_test

import (
	"testing"

	order "onthestack/book/stack-and-heap/listings/down"
)

func TestBill(t *testing.T) {
	for cups, want := range map[int]int{0: 0, 1: 320, 3: 960} {
		if got := order.Bill(cups); got != want {
			t.Errorf("Bill(%d) = %d, want %d", cups, got, want)
		}
	}
}
