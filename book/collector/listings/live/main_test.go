package main

import "testing"

func TestScanned(t *testing.T) {
	const orders, size = 500_000, 24
	chain = link(orders)
	kept := scanned()
	chain = nil
	dropped := scanned()
	list = make([]struct{ cups, cents int }, orders)
	flat := scanned()
	if kept < dropped+orders*size*9/10 {
		t.Errorf("%d bytes are searched with the chain and %d without it, want about %d more", kept, dropped, orders*size)
	}
	if flat > dropped+orders*size/10 {
		t.Errorf("%d bytes are searched with the list and %d without it, want about as many", flat, dropped)
	}
}
