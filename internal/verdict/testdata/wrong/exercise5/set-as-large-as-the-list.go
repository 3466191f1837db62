// The set is made for as many addresses as the list has, although few of them are different.
// wasm: true
package mail

type Mailer struct {
	seen map[string]bool
	room int
}

func (m *Mailer) Unique(list []string) []string {
	if len(list) > m.room {
		m.room = len(list)
		m.seen = make(map[string]bool, m.room)
	}
	kept := list[:0]
	for _, address := range list {
		if !m.seen[address] {
			m.seen[address] = true
			kept = append(kept, address)
		}
	}
	clear(list[len(kept):])
	clear(m.seen)
	return kept
}
