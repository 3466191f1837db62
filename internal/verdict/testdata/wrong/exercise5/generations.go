// The set has the number of the last list beside each address, and is never cleared: it grows with every list.
// wasm: true
package mail

type Mailer struct {
	list int
	seen map[string]int
}

func (m *Mailer) Unique(list []string) []string {
	if m.seen == nil {
		m.seen = make(map[string]int)
	}
	m.list++
	kept := list[:0]
	for _, address := range list {
		if m.seen[address] != m.list {
			m.seen[address] = m.list
			kept = append(kept, address)
		}
	}
	clear(list[len(kept):])
	return kept
}
