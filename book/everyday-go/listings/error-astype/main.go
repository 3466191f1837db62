// Command error-astype finds the error of a certain type in a chain of errors, by a type parameter.
package main

import (
	"errors"
	"fmt"
	"testing"
)

type lockedError struct{ door string }

func (e *lockedError) Error() string { return e.door + " is locked" }

// ANCHOR: astype
func lockedDoor(err error) string {
	if locked, ok := errors.AsType[*lockedError](err); ok {
		return locked.door
	}
	return ""
}

// ANCHOR_END: astype

var (
	err  = fmt.Errorf("visit: %w", &lockedError{"garage"})
	door string
)

func main() {
	fmt.Println("AsType:", testing.AllocsPerRun(1000, func() { door = lockedDoor(err) }), "allocs")
}
