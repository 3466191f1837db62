// The task: checkalloc task exercise8

// Package index puts the lists of a book's index in order.
package index

import "sort"

// Terms sorts the terms of the index by their bytes, and
// reports whether one stood in the wrong place.
//
// There may be any number of terms. A list that is in
// order is only read, so goroutines may pass the same one
// at once. Nothing past its end is touched.
func Terms(terms []string) bool {
	return order(sort.StringSlice(terms))
}

// Pages does the same with the pages on which a term is
// found, which may be any numbers.
func Pages(pages []int) bool {
	return order(sort.IntSlice(pages))
}

// order sorts a list unless it is in order, and reports
// whether it had to.
func order(list sort.Interface) bool {
	if sort.IsSorted(list) {
		return false
	}
	sort.Sort(list)
	return true
}
