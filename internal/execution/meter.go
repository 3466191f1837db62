package execution

import "sync"

// A Meter counts what a program prints. The first time that there is more than it has left it calls Full: a program that prints
// too much is stopped from outside, writing itself never fails.
type Meter struct {
	Left int    // bytes
	Full func() // not to be called by others

	mu   sync.Mutex
	over bool
}

// Take returns how many of n bytes may be kept.
func (m *Meter) Take(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	keep := min(n, m.Left)
	m.Left -= keep
	if keep < n && !m.over {
		m.over = true
		m.Full()
	}
	return keep
}

// Give adds to what is left.
func (m *Meter) Give(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Left += n
}

// Exceeded reports whether there was more than there was left.
func (m *Meter) Exceeded() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}
