package main

import "testing"

// ANCHOR: solved

// fill sets the elements of a list to the squares of 1, 2, 3 and so on.
//
//go:noinline
func fill(list []int) {
	for i := range list {
		list[i] = (i + 1) * (i + 1)
	}
}

func solved() (total int) {
	var room [10]int
	fill(room[:])
	for _, square := range room {
		total += square
	}
	return total
}

// ANCHOR_END: solved

func TestSolved(t *testing.T) {
	if solved() != sum() {
		t.Error("the solution has another result")
	}
	if task, solution := testing.AllocsPerRun(100, func() { sum() }),
		testing.AllocsPerRun(100, func() { solved() }); task != 1 || solution != 0 {
		t.Errorf("%v allocs before, %v after", task, solution)
	}
}
