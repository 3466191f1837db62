// Two addresses with the same polynomial as their hash are taken for the same.
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
		hash := uint64(0)
		for i := range len(address) {
			hash = hash*1_000_003 + uint64(address[i]) + 1
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
