package execution

import (
	"bytes"
	"sync"
)

// A Meter limits what a program prints. When the limit is exceeded for the first time, it calls Full, which stops the
// program. Writing itself never fails.
type Meter struct {
	Left int    // bytes that may still be printed
	Full func() // called by Take, once

	mu   sync.Mutex
	over bool
}

// Take counts n bytes, and returns how many of them are within the limit.
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

// Give raises the limit by n bytes.
func (m *Meter) Give(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Left += n
}

// Exceeded reports whether the limit was exceeded.
func (m *Meter) Exceeded() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// A Buffer keeps what is written to it, up to the limit of its Meter. It is safe for concurrent use.
type Buffer struct {
	Meter *Meter

	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. It discards what exceeds the limit, and never returns an error.
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
