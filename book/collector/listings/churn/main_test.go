package main

import (
	"testing"
	"unsafe"
)

func TestSizeOfAnOrder(t *testing.T) {
	if size := unsafe.Sizeof(order{}); size != 24 {
		t.Errorf("an order takes %d bytes, and the program counts with 24", size)
	}
}
