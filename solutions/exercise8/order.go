// The task: checkalloc task exercise8

// Package index puts the lists of a book's index in order.
package index

import (
	"cmp"
	"slices"
)

// Terms sorts the terms of the index by their bytes, and
// reports whether one stood in the wrong place.
//
// There may be any number of terms. A list that is in
// order is only read, so goroutines may pass the same one
// at once. Nothing past its end is touched.
func Terms(terms []string) bool {
	// Changed: the conversion to sort.StringSlice was free, because it only gave the
	// slice other methods. Storing it in an interface was not. An interface has one
	// word for its value, and a slice header has three: the array's address, the
	// length and the capacity. So the header was copied into a box of 24 bytes. Go
	// 1.15 had no size class of 24, and took 32.
	return order(terms)
}

// Pages does the same with the pages on which a term is
// found, which may be any numbers.
func Pages(pages []int) bool {
	// Changed: this box had 24 bytes, too. It is the header that is boxed, and a
	// header does not depend on the elements or on their number.
	return order(pages)
}

// order sorts a list unless it is in order, and reports
// whether it had to.
//
// Changed: the function needs no methods, only elements that can be compared with <.
// With a type parameter it takes the slice as a slice, and it can be compiled for
// both kinds of list. It was one allocation for two calls, because both calls got the
// same interface: a box is made where a value is stored in an interface, and not where
// the interface is used.
func order[T cmp.Ordered](list []T) bool {
	if slices.IsSorted(list) {
		return false
	}
	slices.Sort(list)
	return true
	// The cost: order now takes slices alone. A list that is no slice, such as two
	// columns that move together, still needs sort.Interface, and can avoid the box by
	// storing a pointer to a value that is on the heap already.
}
