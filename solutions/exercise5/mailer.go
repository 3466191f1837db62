// The task: checkalloc task exercise5

// Package mail prepares mailing lists.
package mail

// A Mailer prepares the lists of one sender, one after the
// other. Its zero value is ready for use. Goroutines each
// have a Mailer of their own.
type Mailer struct {
	// Changed: the set belongs to the mailer, which is there for all lists. It grows
	// with the first ones, and has room for the later ones.
	seen map[string]bool
}

// Unique removes the repeated addresses from list, so that
// each address remains only where it comes first. A list
// may have any number of addresses, and an address may be
// any text.
//
// The result is in the array of list. Unique sets what is
// left over of list to "". Between two calls the Mailer
// keeps nothing of any address.
func (m *Mailer) Unique(list []string) []string {
	// Changed: only the first call makes a map. The zero value of a Mailer has none.
	if m.seen == nil {
		m.seen = make(map[string]bool)
	}
	kept := list[:0]
	for _, address := range list {
		if !m.seen[address] {
			m.seen[address] = true
			kept = append(kept, address)
		}
	}
	clear(list[len(kept):])
	// Changed: the entries go and the tables stay. This happens now, and not when the
	// next call begins, because each key refers to the bytes of an address. Until the
	// next list, which may never come, they could not be freed.
	clear(m.seen)
	return kept
	// The cost: a mailer is as large as its largest list, for as long as it lives,
	// and clear goes through all of its tables, for a list of two addresses as well.
}
