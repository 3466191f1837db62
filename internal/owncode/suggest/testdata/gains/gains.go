// Package gains has a function for each edit that suggest proves for it.
package gains

import (
	"fmt"
	"strings"
)

// A Walker calls a function for each number that it has.
type Walker interface{ Walk(func(int)) }

// HoistFunc adds up what walkers have.
func HoistFunc(all []Walker) (sum int) {
	for _, w := range all {
		w.Walk(func(n int) { sum += n })
	}
	return sum
}

// Perfsprint greets somebody.
func Perfsprint(name string) string { return fmt.Sprintf("hello, %s", name) }

// Mirror counts the bytes of names.
func Mirror(names [][]byte) int {
	var b strings.Builder
	b.Grow(100 * len(names))
	for _, name := range names {
		b.WriteString(string(name))
	}
	return b.Len()
}

// JoinLoop lists names.
func JoinLoop(names []string) string {
	list := ""
	for _, name := range names {
		list += name + ","
	}
	return list
}
