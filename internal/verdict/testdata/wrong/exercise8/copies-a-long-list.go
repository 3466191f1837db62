// A list of more than 1 MiB is sorted in a copy.
// want: benchmark

package index

import (
	"cmp"
	"slices"
)

func Terms(terms []string) bool { return order(terms, 1<<16) }

func Pages(pages []int) bool { return order(pages, 1<<17) }

func order[T cmp.Ordered](list []T, most int) bool {
	if slices.IsSorted(list) {
		return false
	}
	if len(list) > most {
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		copy(list, sorted)
		return true
	}
	slices.Sort(list)
	return true
}
