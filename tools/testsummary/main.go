// Command testsummary runs the parts of "make test" and "make proof", and reports at the end how many tests ran and how
// long they took.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
