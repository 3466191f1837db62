package main

import "testing"

// TestCounted tests that allocs/op counts what is allocated, whether it is kept or not, as the page says.
func TestCounted(t *testing.T) {
	text := line(1)
	kept := make([]string, 0, 200)
	dropped := testing.AllocsPerRun(100, func() { id = idClone(text) })
	if got := testing.AllocsPerRun(100, func() { kept = append(kept, idClone(text)) }); got != 1 || dropped != 1 {
		t.Errorf("a clone that is kept counts %v allocations, and one that is dropped %v, want 1 each", got, dropped)
	}
	if got := testing.AllocsPerRun(100, func() { id = idPart(text) }); got != 0 {
		t.Errorf("a part counts %v allocations, want none, although it keeps the line", got)
	}
}
