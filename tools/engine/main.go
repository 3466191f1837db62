// Engine builds everything that a page needs to check programs by itself from the installed Go, and writes it to a
// folder:
//
//	engine [-quick] DIR
//
// The parts are Go's own compiler and linker, built for js/wasm and with the only back end that a page needs; the
// program that a page calls (./page); the archives of the packages that programs may import; and Go's wasm_exec.js.
// Each file is named by its content, has compressed copies beside it, and is listed in DIR/manifest.json.
//
// The compiler and the linker of the distribution contain the back ends of all architectures, and a page needs only
// one. The files trim….go remove the rest from the sources of the installed release, and make an overlay with the
// trimmed files for the go command. They depend on a release only by a few lines of its sources. If one of these does
// not exist, the tool is built untrimmed. Its output for wasm is the same either way: trimming removes only cases
// and table entries of other architectures, and the linker's changed statements write the same bytes in less time.
//
// A complete build takes a minute or two. Compressing the result tightly takes a few minutes more; with -quick it takes
// seconds, and the compressed copies are twice as large. The user's cache keeps each part as it was built, so that the
// go command builds only what has changed, and the compressed copies of each content. A second build therefore takes
// seconds. DIR is replaced atomically when everything is built.
//
// Run it in the repository's root: go run ./tools/engine DIR
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
		fmt.Fprintln(errOut, "engine: interrupted; finished parts are cached")
		return 130
	case errors.Is(err, errUsage):
		fmt.Fprintln(errOut, "engine:", err)
		return 2
	default:
		fmt.Fprintln(errOut, "engine:", err)
		return 1
	}
}
