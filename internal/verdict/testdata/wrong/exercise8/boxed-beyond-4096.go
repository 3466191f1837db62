// A list of more than 4096 elements is sorted in a box.
// want: benchmark

package index

import (
	"cmp"
	"slices"
	"sort"
)

func Terms(terms []string) bool {
	if len(terms) > 4096 {
		return boxed(sort.StringSlice(terms))
	}
	return order(terms)
}

func Pages(pages []int) bool {
	if len(pages) > 4096 {
		return boxed(sort.IntSlice(pages))
	}
	return order(pages)
}

func boxed(list sort.Interface) bool {
	if sort.IsSorted(list) {
		return false
	}
	sort.Sort(list)
	return true
}

func order[T cmp.Ordered](list []T) bool {
	if slices.IsSorted(list) {
		return false
	}
	slices.Sort(list)
	return true
}
