// Command leaking keeps what a parameter points to.
package main

import "fmt"

var kept *int

//go:noinline
func keep(p *int) { kept = p }

func main() {
	n := 42
	keep(&n)
	fmt.Println(*kept)
}
