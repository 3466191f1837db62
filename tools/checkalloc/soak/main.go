// Soak proves that the same input gives the same verdict on a busy machine. It checks each exercise's starter and
// solution many times while other processes keep all processors busy, and fails if a verdict differs from the first.
//
//	soak [-n 200] [-engine native,wasm] [-build N] [exercise...]
//
// It prints a row for each of them, and its progress on stderr. The exit code is 1 if two verdicts differ, and 2 if a
// check could not be made.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
