package main

import "testing"

func TestRemember(t *testing.T) {
	coffee := price{3, 20}
	rememberValue(coffee)
	coffee.cents = 50
	if last != (price{3, 20}) {
		t.Errorf("the interface holds %v", last)
	}
	rememberPointer(&coffee)
	coffee.cents = 80
	if p, ok := last.(*price); !ok || *p != (price{3, 80}) {
		t.Errorf("the interface holds %v", last)
	}
}
