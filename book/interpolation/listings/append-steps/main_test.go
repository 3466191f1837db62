package main

import "testing"

func TestCollect(t *testing.T) {
	for n, want := range map[int]float64{4: 0, 5: 1} {
		if allocs := testing.AllocsPerRun(100, func() { collect(n) }); allocs != want {
			t.Errorf("%d numbers: %v allocs, want %v", n, allocs, want)
		}
	}
}
