// Command bookalloc is the book's mdBook preprocessor, and measures what the book says about its listings. See usage.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
