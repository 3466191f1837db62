// Package confine bounds the memory, processor time, files and processes of a command and of all that it starts.
// Package build limits its builds with it, package sandbox native programs, and the runner the formatting of programs.
package confine

import (
	"context"
	"time"
)

// Limits bound each of the processes; 0 is no bound. Where the system has no such limit, or its own is lower already,
// its own holds.
type Limits struct {
	Memory int           // bytes of address space
	CPU    time.Duration // processor time, in whole seconds; who reaches it is killed
	File   int           // bytes of a file that is written
	// Processes is how many processes and threads the user may have at once, this process's own and all others among
	// them, for that is how the systems count. It is no bound for root.
	Processes int
	// Background processes only use processor time that others leave.
	Background bool
}

// backgroundKey is the key of a context whose builds run in the background.
type backgroundKey struct{}

// WithBackground returns a context whose builds run as Background processes.
func WithBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// IsBackground reports whether the context is one that WithBackground returned, or is derived from such a context.
func IsBackground(ctx context.Context) bool {
	background, _ := ctx.Value(backgroundKey{}).(bool)
	return background
}
