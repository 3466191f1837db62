//go:build js && wasm

// Page checks solutions inside a page of the workbook, without a server. It runs the same packages as the runner, with
// Go's compiler and linker as WebAssembly. web/src/engine/worker.ts starts it; it runs until that worker ends.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}
