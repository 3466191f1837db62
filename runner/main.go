// Runner serves the workbook, checks its exercises, and runs Go programs for the page the way the playground at play.golang.org
// does. What it builds for a reader runs as WebAssembly inside this process.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
