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
	// Nice is added to the niceness, so that other processes come first.
	Nice int
}

// niceKey is the key of the niceness in a context.
type niceKey struct{}

// WithNice returns a context whose builds run with nice added to their niceness.
func WithNice(ctx context.Context, nice int) context.Context {
	return context.WithValue(ctx, niceKey{}, nice)
}

// Nice returns the niceness of processes in a context, 0 unless WithNice set it.
func Nice(ctx context.Context) int {
	nice, _ := ctx.Value(niceKey{}).(int)
	return nice
}
