// Soak checks each exercise's starter and solution again and again while something else keeps all processors busy, and
// fails where a verdict is not the one before: the same input gives the same verdict.
//
//	soak [-n 200] [-engine native,wasm] [-build N] [exercise...]
//
// It prints a row for each of them, and on stderr how far it is. It ends with 1 where two verdicts differ, with 2 where
// a check could not be made.
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
