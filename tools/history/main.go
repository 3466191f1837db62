// Command history measures the book's listings on every available release of Go, and writes book/measured/history.json.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
