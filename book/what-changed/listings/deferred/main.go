// Command deferred runs functions later.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: deferred

// A visit is one that the doors count when it ends.
type visit struct{ guests, minutes int }

var guests, minutes int

func once(v visit) {
	defer func() { guests += v.guests; minutes += v.minutes }()
}

func threeTimes(v visit) {
	for i := 0; i < 3; i++ {
		defer func() { guests += v.guests; minutes += v.minutes }()
	}
}

func main() {
	v := visit{2, 30}
	fmt.Println("one defer:      ", testing.AllocsPerRun(1000, func() { once(v) }), "allocs")
	fmt.Println("three in a loop:", testing.AllocsPerRun(1000, func() { threeTimes(v) }), "allocs")
}

// ANCHOR_END: deferred
