package execution

import (
	"bytes"
	"sync"
)

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

// A Buffer keeps what is written to it, up to the limit of its meter. It is safe for concurrent use.
type Buffer struct {
	Meter *Meter

	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. It takes all of p, and never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	keep := b.Meter.Take(len(p))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p[:keep])
	return len(p), nil
}

// Bytes returns a copy of what was kept.
func (b *Buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.text.Bytes())
}
