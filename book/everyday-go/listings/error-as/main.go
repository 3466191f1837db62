// Command error-as finds the error of a certain type in a chain of errors.
package main

import (
	"errors"
	"fmt"
	"testing"
)

type lockedError struct{ door string }

func (e *lockedError) Error() string { return e.door + " is locked" }

// ANCHOR: as
func lockedDoor(err error) string {
	var locked *lockedError
	if errors.As(err, &locked) {
		return locked.door
	}
	return ""
}

// ANCHOR_END: as

var (
	err  = fmt.Errorf("visit: %w", &lockedError{"garage"})
	door string
)

func main() {
	fmt.Println("As:", testing.AllocsPerRun(1000, func() { door = lockedDoor(err) }), "allocs")
}
