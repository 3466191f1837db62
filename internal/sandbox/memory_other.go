//go:build !unix

package sandbox

import "context"

// withMemory returns ctx: the memory of programs is on the heap, wazero's default.
func withMemory(ctx context.Context) context.Context { return ctx }
