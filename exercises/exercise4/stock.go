// The task: checkalloc task exercise4

// Package warehouse counts the parts of a warehouse.
package warehouse

import (
	"fmt"
	"strconv"
	"strings"
)

// A Stock counts parts by their name and size. Its zero
// value is empty. A name may be any text, and a size any
// int, also a negative one.
type Stock struct {
	counts map[string]int // by key
}

// key returns the text by which the parts of a name and a
// size are found.
func key(name string, size int) string {
	return fmt.Sprintf("%s/%d", name, size)
}

// Add adds n parts to the stock, or takes them out of it if
// n is negative. The number of parts may become negative.
func (s *Stock) Add(name string, size, n int) {
	if s.counts == nil {
		s.counts = make(map[string]int)
	}
	s.counts[key(name, size)] += n
}

// Count returns the number of parts, which is 0 for those
// that the stock has never had.
func (s *Stock) Count(name string, size int) int {
	return s.counts[key(name, size)]
}

// Largest returns the parts with the largest number, among
// all that were ever added, and that number. If several
// have it, Largest returns those with the smallest name, by
// bytes, and of these the ones with the smallest size. It
// returns "", 0, 0 for a stock to which nothing was added.
func (s *Stock) Largest() (name string, size, n int) {
	first := true
	for key, count := range s.counts {
		slash := strings.LastIndexByte(key, '/')
		partName := key[:slash]
		partSize, _ := strconv.Atoi(key[slash+1:])
		if first || count > n || count == n &&
			(partName < name || partName == name && partSize < size) {
			first, name, size, n = false, partName, partSize, count
		}
	}
	return name, size, n
}
