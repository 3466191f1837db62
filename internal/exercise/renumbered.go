package exercise

import (
	"cmp"
	"strings"
	"sync"
)

// Renumbered returns today's name of what was stored before the exercises were renumbered in November 2026: of an
// exercise, "exercise1", or of a question of the book that is named after one, "memory-profiling/exercise1". The old
// names are used again, for other exercises, so what was stored has to say which names it has: Renumbered is applied to
// the old ones, once.
func Renumbered(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = cmp.Or(renumbered()[part], part)
	}
	return strings.Join(parts, "/")
}

// renumbered returns today's IDs by the former ones.
var renumbered = sync.OnceValue(func() map[string]string {
	catalog, err := Sealed()
	if err != nil {
		panic(err) // a wrong number would attribute a reader's code to another exercise
	}
	ids := map[string]string{}
	for _, e := range catalog {
		if e.Formerly != "" {
			ids[e.Formerly] = e.ID
		}
	}
	return ids
})
