package main

import "testing"

// This command wrote default.pgo, which the go command uses without being told:
//
//	go test -c -trimpath -pgo=off -o /tmp/hot-call . && /tmp/hot-call -test.run=- -test.bench=Busy -test.cpuprofile=default.pgo

func BenchmarkBusy(b *testing.B) {
	for i := 0; i < b.N; i++ {
		busy(lines)
	}
}

func BenchmarkIdle(b *testing.B) {
	for i := 0; i < b.N; i++ {
		idle(lines)
	}
}
