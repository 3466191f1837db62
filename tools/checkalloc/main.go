// Checkalloc checks solutions of the workbook's exercises: tests, benchmark, memory profile and the compiler's escape report
// in one verdict. Run it without arguments to see where you are.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
