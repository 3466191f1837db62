// Package sandbox runs built programs: natively, or as WebAssembly (GOOS=wasip1) under wazero, where a program has a file
// system in memory or none, no network, and bounded memory. Either way time and output are bounded.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"onthestack/internal/playground"
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

// words says for a person which limit ended a run, "" for none.
func (l Limits) words(s playground.Stop) string {
	return s.Words(playground.Limits{Time: l.Time, Output: l.Output, Ready: compileTime})
}

// stopped tells which limit a run in ctx hit.
func stopped(ctx context.Context, m *playground.Meter) playground.Stop {
	switch {
	case m.Exceeded():
		return playground.TooMuchOutput
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return playground.OutOfTime
	}
	return playground.NotStopped
}

// maxReport bounds the report of a test binary, in bytes. A report holds a benchmark's stacks that allocate, some kB of text each.
const maxReport = 8 << 20

// A recorder keeps what is written to it, as far as its meter goes.
type recorder struct {
	meter *playground.Meter
	mu    sync.Mutex
	buf   bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	keep := r.meter.Take(len(p))
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
