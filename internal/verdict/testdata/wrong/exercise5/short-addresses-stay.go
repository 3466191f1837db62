// Addresses of less than 4 KiB in all stay in the set until the next list: a part of a large text keeps the text.
// wasm: true
package mail

type Mailer struct {
	seen map[string]bool
}

func (m *Mailer) Unique(list []string) []string {
	if m.seen == nil {
		m.seen = make(map[string]bool)
	}
	clear(m.seen)
	kept := list[:0]
	bytes := 0
	for _, address := range list {
		if !m.seen[address] {
			m.seen[address] = true
			bytes += len(address)
			kept = append(kept, address)
		}
	}
	clear(list[len(kept):])
	if bytes > 4<<10 {
		clear(m.seen)
	}
	return kept
}
