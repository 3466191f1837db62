// Two addresses with the same 64-bit hash are taken for the same.
package mail

type Mailer struct {
	seen map[uint64]bool
}

func (m *Mailer) Unique(list []string) []string {
	if m.seen == nil {
		m.seen = make(map[uint64]bool)
	}
	kept := list[:0]
	for _, address := range list {
		hash := uint64(14695981039346656037) // FNV-1a
		for i := range len(address) {
			hash = (hash ^ uint64(address[i])) * 1099511628211
		}
		if !m.seen[hash] {
			m.seen[hash] = true
			kept = append(kept, address)
		}
	}
	clear(list[len(kept):])
	clear(m.seen)
	return kept
}
