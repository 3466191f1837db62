//go:build !unix

package sandbox

import (
	"context"
	"time"
)

// withMemory returns ctx: the memory of programs is on the heap, wazero's default.
func withMemory(ctx context.Context) context.Context { return ctx }

// used returns nil, for the machine's clock: a process has no priority here.
func (Wasm) used() func() time.Duration { return nil }
