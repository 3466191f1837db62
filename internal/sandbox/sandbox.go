// Package sandbox runs built programs: natively, or as WebAssembly (GOOS=wasip1) under wazero, where a program has a file
// system in memory or none, no network, and bounded memory. Either way time and output are bounded.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits bound a run.
type Limits struct {
	Time   time.Duration // wall clock
	Output int           // bytes on stdout and stderr together
	Memory int           // bytes of WebAssembly memory; for native runs see nativeMemory
}

// CheckLimits are the limits for a check's test binary.
func CheckLimits() Limits {
	return Limits{Time: 20 * time.Second, Output: 1 << 20, Memory: 256 << 20}
}

// A Stop is the limit that ended a run.
type Stop int

const (
	NotStopped    Stop = iota // the program ended by itself
	OutOfTime                 // it ran longer than Limits.Time
	TooMuchOutput             // it printed more than Limits.Output
	TooDeep                   // its calls went deeper than an engine's stack
	NotReady                  // making it ready to run took longer than compileTime
)

// What a verdict.Run's Stopped begins with, by the limit.
const (
	RanLonger   = "ran longer than"
	Printed     = "printed more than"
	Recursed    = "recursed too deep"
	NotReadyYet = "was not ready to run"
)

// words says it for a person, "" for NotStopped.
func (s Stop) words(l Limits) string {
	switch s {
	case OutOfTime:
		return fmt.Sprintf(RanLonger+" %v and was stopped", l.Time)
	case TooMuchOutput:
		return fmt.Sprintf(Printed+" %d KiB and was stopped", l.Output>>10)
	case TooDeep:
		return Recursed + " and was stopped"
	case NotReady:
		return fmt.Sprintf(NotReadyYet+" after %v", compileTime)
	}
	return ""
}

// stopped tells which limit a run in ctx hit.
func stopped(ctx context.Context, m *meter) Stop {
	switch {
	case m.exceeded():
		return TooMuchOutput
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return OutOfTime
	}
	return NotStopped
}

// maxReport bounds the report of a test binary, in bytes. A report holds a benchmark's stacks that allocate, some kB of text each.
const maxReport = 8 << 20

// A meter counts what a program prints. The first time that there is more than it has left it calls full: a program that prints
// too much is stopped from outside, writing itself never fails.
type meter struct {
	mu   sync.Mutex
	left int // bytes
	full func()
	over bool
}

// take returns how many of n bytes may be kept.
func (m *meter) take(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	keep := min(n, m.left)
	m.left -= keep
	if keep < n && !m.over {
		m.over = true
		m.full()
	}
	return keep
}

// give adds to what is left.
func (m *meter) give(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left += n
}

func (m *meter) exceeded() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// A recorder keeps what is written to it, as far as its meter goes.
type recorder struct {
	meter *meter
	mu    sync.Mutex
	buf   bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	keep := r.meter.take(len(p))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf.Write(p[:keep])
	return len(p), nil
}

func (r *recorder) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.buf.Bytes())
}
