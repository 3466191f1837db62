// Engine builds from the installed Go what a page needs to check programs by itself, and lays it into a folder:
//
//	engine [-quick] DIR
//
// These are Go's own compiler and linker, for js/wasm and with the one back end that is wanted there (trim.go); the
// program that a page talks to (./page); the archives of the packages that programs may import (pack.go); and Go's
// wasm_exec.js. Each file is named by its content, has compressed copies beside it, and stands in DIR/manifest.json.
//
// A complete build takes a minute or two. Compressing the result tightly takes a few minutes more; with -quick that
// takes seconds, and the compressed copies are twice as large. Each part is cached in the user's cache under a hash of
// its inputs (cache.go). A second build therefore takes a second, a change of the page's program rebuilds only that,
// and a build without -quick after one with it only compresses. DIR is replaced atomically when everything is built.
//
// It is run in the repository's root: go run ./tools/engine DIR
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errOut io.Writer) int {
	quick := len(args) > 1 && args[0] == "-quick"
	if quick {
		args = args[1:]
	}
	if len(args) != 1 || args[0] == "" || args[0][0] == '-' {
		fmt.Fprintln(errOut, "usage: engine [-quick] DIR")
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := build(ctx, args[0], quick, out); {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(errOut, "engine: interrupted; what was finished is kept")
		return 130
	case errors.Is(err, errUsage):
		fmt.Fprintln(errOut, "engine:", err)
		return 2
	default:
		fmt.Fprintln(errOut, "engine:", err)
		return 1
	}
}
