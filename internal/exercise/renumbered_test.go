package exercise

import (
	"fmt"
	"testing"
)

// TestRenumbered tests the names that were used again for other exercises, and that each of the 28 exercises before
// the renumbering is one of today's.
func TestRenumbered(t *testing.T) {
	for name, want := range map[string]string{
		"exercise24": "exercise3", "exercise3": "exercise40", "exercise40": "exercise40", "exercise18": "exercise1",
		"exercise1": "exercise6", "memory-profiling/exercise1": "memory-profiling/exercise6", "exercise": "exercise",
		"memory-profiling/buffer": "memory-profiling/buffer", "exercise30": "exercise30", "": "",
	} {
		if got := Renumbered(name); got != want {
			t.Errorf("%q is %q now, want %q", name, got, want)
		}
	}
	catalog, err := Sealed()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 28 {
		id := Renumbered(fmt.Sprintf("exercise%d", i+1))
		if catalog.Lookup(id) == nil || seen[id] {
			t.Errorf("exercise%d is %s now, which does not exist, or was another one, too", i+1, id)
		}
		seen[id] = true
	}
}
