// Package box sorts as sort.Strings did up to Go 1.21, each step on a line of its own.
package box

import "sort"

// ANCHOR: order

// Order puts the names in alphabetical order.
func Order(names []string) {
	list := sort.StringSlice(names) // the same slice, with methods

	// ANCHOR: box
	var order sort.Interface = list
	// ANCHOR_END: box

	sort.Sort(order)
}

// ANCHOR_END: order
