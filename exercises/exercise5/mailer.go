// The task: checkalloc task exercise5

// Package mail prepares mailing lists.
package mail

// A Mailer prepares the lists of one sender, one after the
// other. Its zero value is ready for use. Goroutines each
// have a Mailer of their own.
type Mailer struct {
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
	seen := make(map[string]bool)
	kept := list[:0]
	for _, address := range list {
		if !seen[address] {
			seen[address] = true
			kept = append(kept, address)
		}
	}
	clear(list[len(kept):])
	return kept
}
