//go:build !unix

package sandbox

import "context"

// withMemory leaves it to wazero where a program's memory comes from: the heap.
func withMemory(ctx context.Context) context.Context { return ctx }
