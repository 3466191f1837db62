// Onthestack is the workbook in one file, for an instructor to bring along: the runner with the built site inside, and
// the commands of checkalloc. "make dist" builds it; see site.go.
package main

import (
	"os"

	"onthestack/internal/sandbox/jail"
)

func main() {
	jail.Main() // does not return in a process that is to run a check's tests
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
