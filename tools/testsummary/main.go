// Command testsummary runs the parts of "make test" and "make proof", and says at the end how many tests ran and where
// the time went.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
