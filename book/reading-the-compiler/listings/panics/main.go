// Command panics hands a value to panic.
package main

import "fmt"

//go:noinline
func half(n int) int {
	if n%2 != 0 {
		panic(n)
	}
	return n / 2
}

func main() {
	defer func() { fmt.Println("odd:", recover()) }()
	fmt.Println(half(84))
	half(43)
}
