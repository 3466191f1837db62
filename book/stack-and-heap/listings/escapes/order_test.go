package order_test

import (
	"testing"

	order "onthestack/book/stack-and-heap/listings/escapes"
)

func TestOrders(t *testing.T) {
	if got, want := *order.New(3), (order.Order{Cups: 3, Cents: 960}); got != want {
		t.Errorf("New(3) = %+v, want %+v", got, want)
	}
	if got := order.Queue(4); len(got) != 4 || got[3] != (order.Order{}) {
		t.Errorf("Queue(4) = %+v, want four empty orders", got)
	}
	order.Remember(1042)
	if got := order.Last(); got != 1042 {
		t.Errorf("Last() = %v, want 1042", got)
	}
}
