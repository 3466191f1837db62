// Package quiz sorts the names on a bird watcher's list.
package quiz

import "sort"

// ANCHOR: order

// Order puts the names in alphabetical order.
func Order(names []string) {
	sort.Strings(names)
}

// ANCHOR_END: order
