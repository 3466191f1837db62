// Command plain-errorf makes errors without anything to format.
package main

import (
	"errors"
	"fmt"
	"testing"
)

// ANCHOR: errors
var problem error

func main() {
	show("errors.New", func() { problem = errors.New("no such door") })
	show("fmt.Errorf", func() { problem = fmt.Errorf("no such door") })
}

func show(what string, fail func()) {
	fmt.Println(what+":", testing.AllocsPerRun(1000, fail), "allocs")
}

// ANCHOR_END: errors
