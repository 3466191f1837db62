package main

import "testing"

// ANCHOR: solved

//go:noinline
func solved(a, b point) point {
	return point{(a.x + b.x) / 2, (a.y + b.y) / 2}
}

// ANCHOR_END: solved

func TestSolved(t *testing.T) {
	a, b := point{0, 2}, point{4, 8}
	if solved(a, b) != *middle(a, b) {
		t.Error("the solution has another result")
	}
	if task, solution := testing.AllocsPerRun(100, func() { middle(a, b) }),
		testing.AllocsPerRun(100, func() { solved(a, b) }); task != 1 || solution != 0 {
		t.Errorf("%v allocs before, %v after", task, solution)
	}
}
