// Whether a list is in order is asked through an interface, and only one in order is boxed.
// want: benchmark

package index

import (
	"slices"
	"sort"
)

func Terms(terms []string) bool {
	if len(terms) > 1 && terms[0] > terms[len(terms)-1] {
		slices.Sort(terms)
		return true
	}
	if sort.IsSorted(sort.StringSlice(terms)) {
		return false
	}
	slices.Sort(terms)
	return true
}

func Pages(pages []int) bool {
	if slices.IsSorted(pages) {
		return false
	}
	slices.Sort(pages)
	return true
}
