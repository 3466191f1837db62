package main

import "testing"

func TestOrders(t *testing.T) {
	var down order
	fill(&down, 3)
	if up := newOrder(2); down.cents != 960 || up.cents != 640 {
		t.Errorf("%d and %d cents", down.cents, up.cents)
	}
}
