// The task: checkalloc task exercise4

// Package warehouse counts the parts of a warehouse.
package warehouse

// A Stock counts parts by their name and size. Its zero
// value is empty. A name may be any text, and a size any
// int, also a negative one.
type Stock struct {
	// Changed: the key is a struct of its two parts. A map compares and hashes the
	// fields one after the other, so they need not be put together in one text.
	counts map[part]int
}

// A part is a key of the stock.
type part struct {
	name string
	size int
}

// Add adds n parts to the stock, or takes them out of it if
// n is negative. The number of parts may become negative.
func (s *Stock) Add(name string, size, n int) {
	if s.counts == nil {
		s.counts = make(map[part]int)
	}
	// Changed: the literal part{name, size} is two words and an int in the frame. If
	// the key is new, the map copies it. The bytes of the name are not copied: the
	// key refers to the caller's string, which cannot change.
	s.counts[part{name, size}] += n
}

// Count returns the number of parts, which is 0 for those
// that the stock has never had.
func (s *Stock) Count(name string, size int) int {
	return s.counts[part{name, size}]
}

// Largest returns the parts with the largest number, among
// all that were ever added, and that number. If several
// have it, Largest returns those with the smallest name, by
// bytes, and of these the ones with the smallest size. It
// returns "", 0, 0 for a stock to which nothing was added.
func (s *Stock) Largest() (name string, size, n int) {
	first := true
	// Changed: the name and the size are fields, and nothing has to be taken apart.
	for key, count := range s.counts {
		if first || count > n || count == n &&
			(key.name < name || key.name == name && key.size < size) {
			first, name, size, n = false, key.name, key.size, count
		}
	}
	return name, size, n
	// The cost: a key of three words where there was one of two. A key that has to
	// leave the program, as that of a shared cache does, would still have to be a text.
}
