package main

import "testing"

var sum uint16

func BenchmarkLabel(b *testing.B) {
	address := "Kitchen door, Mill Lane 7, third bell from above"
	for i := 0; i < b.N; i++ {
		sum = label(address)
	}
}
