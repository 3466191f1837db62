package main

import "testing"

// ANCHOR: solved

var kept reading

//go:noinline
func keep(r reading) { kept = r }

// ANCHOR_END: solved

func TestSolved(t *testing.T) {
	r := reading{7, 215}
	note(r)
	keep(r)
	if kept != last() {
		t.Error("the solution has another result")
	}
	if task, solution := testing.AllocsPerRun(100, func() { note(r) }),
		testing.AllocsPerRun(100, func() { keep(r) }); task != 1 || solution != 0 {
		t.Errorf("%v allocs before, %v after", task, solution)
	}
}
