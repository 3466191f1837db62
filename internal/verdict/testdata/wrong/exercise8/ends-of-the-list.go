// A list of more than 1000 elements is taken to be in order if its two ends are.

package index

import (
	"cmp"
	"slices"
)

func Terms(terms []string) bool { return order(terms) }

func Pages(pages []int) bool { return order(pages) }

func order[T cmp.Ordered](list []T) bool {
	if n := len(list); slices.IsSorted(list) || n > 1000 && list[0] < list[1] && list[n-2] < list[n-1] {
		return false
	}
	slices.Sort(list)
	return true
}
