//go:build js && wasm

// Page is the program by which a page of the workbook checks without a server: the verdict's own packages, over Go's
// compiler and linker that the page runs in WebAssembly. It stays for as long as the page's engine does;
// web/src/engine/worker.ts starts it.
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
