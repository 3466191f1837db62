package main

import "testing"

func TestNewBuffer(t *testing.T) {
	if b := newBuffer([]byte("1234")); b.String() != "1234" {
		t.Errorf("the buffer has %q", b)
	}
}
